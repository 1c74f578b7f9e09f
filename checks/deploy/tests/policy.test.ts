// `portal aup edit` with a real container engine and the installed compose: recreates, watches and rolls back.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gatewayctlProcess } from '../../../test/gatewayctl/gatewayctl.ts'
import { SECRET } from '../../../test/support/payloads.ts'
import { composeProgram, containersOf, docker, engineVariables, isPodman, rollbackSeconds } from './docker.ts'
import { images } from './images.ts'

const IMAGE = images.portal

describe('with a real container engine', () => {
  let home = ''
  const compose = (...words: string[]) => {
    const hasPlugin = !isPodman && spawnSync('docker', ['compose', 'version']).status === 0
    const [program, ...args] = hasPlugin ? ['docker', 'compose', ...words] : [composeProgram, ...words]
    const { status, stderr } = spawnSync(program as string, args, { cwd: home, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  const aup = (args: readonly string[], env: Record<string, string> = {}) =>
    gatewayctlProcess(['portal', ...args], {
      env: { GATEWAY_HOME: home, PATH: `${process.env.PATH}`, HOME: home, ...engineVariables, ...env },
    })
  const edit = (name: string, text: string, ...more: string[]) => {
    const file = join(home, name)
    writeFileSync(file, text)
    return aup(['aup', 'edit', '--file', file, '--steady', '3', ...more])
  }
  const container = () => containersOf(home, 'portal')

  before(() => {
    home = mkdtempSync(join(tmpdir(), 'gateway-docker-'))
    for (const folder of ['aup', 'defect']) mkdirSync(join(home, folder))
    cpSync(
      fileURLToPath(new URL('../../../test/gatewayctl/aup/defective-image.ts', import.meta.url)),
      join(home, 'defect', 'defective-image.ts'),
    )
    writeFileSync(
      join(home, 'compose.yaml'),
      `version: "2.4"
services:
  portal:
    image: ${IMAGE}
    restart: unless-stopped
    read_only: true
    cap_drop: [ALL]
    env_file: [.env]
    environment:
      NODE_OPTIONS: --allow-fs-read=/defect/* --import /defect/defective-image.ts
    volumes:
      - ./aup:/etc/gateway-captive:ro
      - ./defect:/defect:ro
networks:
  default: { internal: true }
`,
    )
    writeFileSync(
      join(home, '.env'),
      [
        `GATEWAY_CAPTIVE_SHARED_SECRET=${SECRET}`,
        'GATEWAY_CAPTIVE_SECRET_KEY=kP3-session-key-for-the-tests-0123456789',
        'GATEWAY_CAPTIVE_SSL_BUMP=off',
        'ENGINE_INTERNAL_URL=',
        '',
      ].join('\n'),
    )
    spawnSync('chmod', ['755', home, join(home, 'defect')])
    compose('up', '-d')
  })
  after(() => {
    if (home === '') return
    docker('rm', '--force', '--volumes', ...container().split('\n'))
    docker('network', 'rm', `${basename(home)}_default`.toLowerCase())
    rmSync(home, { recursive: true, force: true })
  })

  test('a good text goes live in a new container; one that crashes the portal is reverted within a minute', async () => {
    const first = container()
    const good = await edit('good.md', '# Rules of the house\n')
    assert.equal(good.status, 0, good.stderr)
    const second = container()
    assert.notEqual(second, first)

    for (const text of ['# CRASH AT ONCE\n', '# CRASH LATER\n']) {
      const startedAt = Date.now()
      const bad = await edit('bad.md', text, '--steady', '6')
      assert.equal(bad.status, 1)
      assert.match(bad.stderr, /the portal did not stay up with this: /)
      assert.match(bad.stderr, /Its last log lines:\n(.*\n)* {2}the defect: /)
      assert.match(bad.stderr, /as they were; the portal runs and is healthy\./)
      assert.ok(Date.now() - startedAt < rollbackSeconds() * 1000)
    }
    assert.equal((await aup(['aup', 'show'])).stdout, '# Rules of the house\n')

    const status = await aup(['aup', 'status', '--json'])
    assert.deepEqual(
      [JSON.parse(status.stdout).enabled, JSON.parse(status.stdout).portal],
      [true, 'healthy'],
      status.stderr,
    )
    const off = await aup(['aup', 'disable', '--steady', '1'])
    assert.equal(off.status, 0, off.stderr)
  })

  test('portal status', async () => {
    const { status, stdout, stderr } = await aup(['status'])
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^portal +ok +(docker|podman).*: .*portal.* running (healthy|starting) /)
    assert.match(stdout, /\nversion +ok +\d{4}\.\d+\.\d+/)
    assert.match(stdout, /\nengine +off /)
    assert.match(stdout, /\ndatabase +ok +SQLite, \/dev\/shm\/portal\.db\n/)
    docker('stop', container())
    const stopped = await aup(['status', '--json'])
    assert.equal(stopped.status, 1)
    assert.equal(JSON.parse(stopped.stdout).findings[0].state, 'failing')
  })

  test('detects texts in a folder that the container does not mount', async () => {
    compose('up', '-d')
    writeFileSync(join(home, '.env'), 'GATEWAY_CAPTIVE_AUP_FOLDER=./elsewhere\n', { flag: 'a' })
    const { status, stderr } = await edit('other.md', '# Elsewhere\n')
    assert.equal(status, 1)
    assert.match(stderr, /sees a different \/etc\/gateway-captive\/aup\.md: is the folder/)
  })
})
