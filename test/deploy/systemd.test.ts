// The units for an installation without containers: systemd understands every line, finds them hardened, and the system
// calls that they leave are enough for a portal.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newSecret } from '../../src/gatewayctl/secret/generate.ts'
import { hasCommand, skipUnless } from '../support/requirement.ts'
import { docker } from './docker.ts'
import { images, skipWithoutDocker } from './images.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'deploy', 'systemd')
/** Where the units say that the portal lies. */
const INSTALLED = '/opt/gateway-captive-portal'
const MOST_EXPOSURE = 2

const skip = skipUnless(hasCommand('systemd-analyze'), 'needs systemd-analyze: apt-get install systemd')
const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'))
const read = (unit: string) => readFileSync(join(FOLDER, unit), 'utf8')

function analyze(...words: readonly string[]) {
  return spawnSync('systemd-analyze', words, { encoding: 'utf8', env: { PATH: process.env.PATH, SYSTEMD_COLORS: '0' } })
}

test(`each unit's exposure is below ${MOST_EXPOSURE}`, { skip }, (t) => {
  assert.equal(units.length, 3)
  for (const unit of units) {
    const { stdout, stderr } = analyze('security', '--offline=true', join(FOLDER, unit))
    const [, level] = /Overall exposure level for \S+: (\d+\.\d) /.exec(stdout) ?? assert.fail(stderr)
    t.diagnostic(`${unit}: ${level}`)
    assert.ok(Number(level) < MOST_EXPOSURE, `${unit}: ${level}`)
  }
})

test('systemd understands every line, and what is started is there', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'units-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const installed = join(folder, 'installed')
  mkdirSync(join(installed, 'bin'), { recursive: true })
  symlinkSync(process.execPath, join(installed, 'bin', 'node'))
  for (const name of ['src', 'deploy', 'docs']) symlinkSync(join(ROOT, name), join(installed, name))
  for (const unit of units) {
    const path = join(folder, unit)
    writeFileSync(path, read(unit).replaceAll(INSTALLED, installed))
    chmodSync(path, 0o644)
    const { stdout, stderr } = analyze('verify', '--man=no', path)
    const complaints = (stdout + stderr).split('\n').filter((line) => line.includes(unit))
    assert.deepEqual(complaints, [])
    for (const [, script] of read(unit).matchAll(/^ExecStart=\S+ (src\/\S+)/gm)) {
      assert.ok(readFileSync(join(ROOT, `${script}`)).length > 0)
    }
  }
})

test('secrets come as credentials alone, and the users are the ones that are made', () => {
  const users = readFileSync(join(FOLDER, 'gateway.sysusers'), 'utf8')
    .match(/^u (\S+)/gm)
    ?.map((line) => line.slice(2))
  for (const unit of units) {
    const [, user = ''] = /^User=(\S+)$/m.exec(read(unit)) ?? []
    assert.ok(users?.includes(user), unit)
    for (const [, value] of read(unit).matchAll(/(?:_FILE=|--secret-file )(\S+)/g)) assert.match(`${value}`, /^%d\//)
  }
})

/** The system calls that the portal's unit leaves, as systemd on this machine understands the names of their groups. */
function allowedCalls(): readonly string[] {
  const expand = (name: string): readonly string[] =>
    name.startsWith('@')
      ? analyze('syscall-filter', name)
          .stdout.split('\n')
          .slice(1)
          .map((line) => line.trim())
          .filter((line) => line !== '' && !line.startsWith('#'))
          .flatMap(expand)
      : [name]
  const allowed = new Set(expand('@default'))
  for (const [, not, groups = ''] of read('gateway-portal.service').matchAll(/^SystemCallFilter=(~?)(.*)$/gm)) {
    for (const call of groups.split(' ').flatMap(expand)) {
      if (not === '') allowed.add(call)
      else allowed.delete(call)
    }
  }
  return [...allowed]
}

test('a portal lives on the system calls that the unit leaves', { skip: skip || skipWithoutDocker }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seccomp-'))
  const profile = join(folder, 'profile.json')
  const calls = allowedCalls()
  assert.ok(calls.includes('futex') && !calls.includes('mount'))
  const syscalls = [{ names: calls, action: 'SCMP_ACT_ALLOW' }]
  writeFileSync(profile, JSON.stringify({ defaultAction: 'SCMP_ACT_ERRNO', syscalls }))
  const container = docker(
    ...['run', '--detach', '--network', 'none', '--read-only', '--cap-drop', 'ALL', '--tmpfs', '/run/portal:mode=1777'],
    ...['--security-opt', `seccomp=${profile}`, '--security-opt', 'no-new-privileges'],
    ...['--env', `GATEWAY_CAPTIVE_SHARED_SECRET=${newSecret()}`, '--env', `GATEWAY_CAPTIVE_SECRET_KEY=${newSecret()}`],
    images.portal,
  )
  t.after(() => {
    docker('rm', '--force', '--volumes', container)
    rmSync(folder, { recursive: true })
  })
  for (let left = 120; ; left--) {
    const { Status, Health } = JSON.parse(docker('inspect', '--format', '{{json .State}}', container))
    if (Health.Status === 'healthy') return
    assert.ok(Status === 'running' && left > 0, docker('logs', container))
    await sleep(250)
  }
})
