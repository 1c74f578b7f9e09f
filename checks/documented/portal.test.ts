// Runs the commands of the portal's reference pages.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { pacFile } from '../../src/network/pac-file.ts'
import { auditEvent } from '../../src/portal/monitoring/audit-events.ts'
import { blocks, blocksRunBy } from '../../test/deploy/command-blocks.ts'
import { run, runUntil, sandbox } from '../../test/deploy/commands.ts'
import { startOperations } from '../../test/portal/monitoring/operations.ts'
import { freePort } from '../../test/support/free-port.ts'
import { hasCommand, skipUnless, skipWithoutLinux } from '../../test/support/requirement.ts'

const skipWithoutJq = skipUnless(hasCommand('curl') && hasCommand('jq'), 'needs curl and jq: apt-get install curl jq')
const documented = (page: string) => blocksRunBy(import.meta.filename, page).map(({ text }) => text)
const outputs = (page: string) => blocks(page).filter(({ language }) => language === 'json')

function workspace(t: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const { here, env, folder, inside } = sandbox(t)
  return {
    here,
    env,
    folder,
    run: (text: string) => run(inside(text), { cwd: here, env: { ...env, ...variables }, seconds: 30 }).stdout,
  }
}

test('docs/aup.md: the preview shows the text, and its hash is the recorded one', {
  skip: skipWithoutLinux,
  timeout: 90_000,
}, async (t) => {
  const { here, env, folder, run } = workspace(t)
  const [write = '', preview = '', hash = '', ...others] = documented('docs/aup.md')
  assert.deepEqual(others, [])
  run(write)
  await runUntil(preview, { cwd: here, env: { ...process.env, ...env }, seconds: 60 }, async (said) => {
    const [, list] = /Open (\S+) /.exec(said) ?? []
    if (list === undefined) return false
    const get = async (url: string) => await (await fetch(url, { headers: { connection: 'close' } })).text()
    const [, link = ''] = /<a href="([^"]+)"[^>]*>Policy to accept</.exec(await get(list)) ?? []
    const page = await get(new URL(link.replaceAll('&amp;', '&'), list).href)
    assert.match(page, /Network rules of the Northwind Institute/)
    assert.match(page, /<strong>not<\/strong> bypass/)
    return true
  })
  const text = readFileSync(join(here, 'policy', 'aup.md'))
  mkdirSync(join(folder, 'etc', 'gateway-captive'))
  writeFileSync(join(folder, 'etc', 'gateway-captive', 'aup.md'), text)
  assert.equal(run(hash).split(' ')[0], createHash('sha256').update(text).digest('hex'))
})

test('docs/audit-log.md: acknowledgements by their reference', { skip: skipWithoutLinux || skipWithoutJq }, (t) => {
  const { folder, run } = workspace(t)
  const [command = '', ...others] = documented('docs/audit-log.md')
  const [output] = outputs('docs/audit-log.md')
  assert.deepEqual(others, [])
  const [time, reference, outcome] = JSON.parse(output?.text ?? '')
  const request = { level: 30, time, method: 'GET', status: 302, milliseconds: 12, msg: 'request' } as const
  const events = [
    { ...request, event: 'request', route: '/ca' },
    {
      ...request,
      event: 'acknowledgement',
      route: '/api/captive/ack',
      outcome,
      reference,
      kind: 'aup',
      rule: 'guests',
    },
  ] as const
  const lines = events.map((event) => JSON.stringify(auditEvent.parse(event)))
  writeFileSync(join(folder, 'log'), ['(node:1) a warning of Node', ...lines, ''].join('\n'))
  writeFileSync(join(folder, 'bin', 'journalctl'), `#!/bin/sh\ncat ${folder}/log\n`, { mode: 0o755 })
  assert.equal(run(command), output?.text)
})

test('docs/gatewayctl.md: a PAC file, a secret, completion', { skip: skipWithoutLinux }, (t) => {
  const { here, folder, run } = workspace(t, {
    GATEWAY_CAPTIVE_HOSTNAME: 'portal.example',
    GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example',
  })
  const commands = documented('docs/gatewayctl.md')
  assert.equal(commands.length, 3)
  for (const command of commands) run(command)
  const proxy = { host: 'proxy.example', port: 3128 }
  assert.equal(readFileSync(join(here, 'proxy.pac'), 'utf8'), pacFile(proxy, ['portal.example', 'portal.example']))
  assert.match(readFileSync(join(here, 'shared-secret'), 'utf8'), /^\S{43,}\n$/)
  assert.equal(statSync(join(here, 'shared-secret')).mode & 0o777, 0o600)
  const zsh = readFileSync(join(folder, '.zsh', 'completions', '_gatewayctl'), 'utf8')
  assert.match(zsh, /^#compdef gatewayctl\n/)
  const bash = join(folder, '.local', 'share', 'bash-completion', 'completions', 'gatewayctl')
  assert.equal(spawnSync('bash', ['-n', bash]).status, 0)
})

test('docs/observability.md: readiness without an engine', { skip: skipWithoutLinux || skipWithoutJq }, async (t) => {
  const [command = '', ...others] = documented('docs/observability.md')
  assert.deepEqual(others, [])
  const engine = `127.0.0.1:${await freePort()}`
  const { port } = await startOperations(t, { env: { ENGINE_INTERNAL_URL: `https://${engine}` } })
  // The portal is in this process.
  const { stdout } = await promisify(execFile)('/bin/sh', ['-ec', command.replace('9464', `${port}`)])
  const [output] = outputs('docs/observability.md')
  assert.equal(stdout, output?.text.replace('172.18.0.3:11225', engine))
})
