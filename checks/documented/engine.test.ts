// Runs the commands of the engine's pages, and those of gatewayctl.md that need an engine.
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { blocks, blocksRunBy, readPage, sessions } from '../../test/deploy/command-blocks.ts'
import { run, runUntil, sandbox } from '../../test/deploy/commands.ts'
import { freePort } from '../../test/support/free-port.ts'
import { hasCommand, skipUnless, skipWithoutLinux } from '../../test/support/requirement.ts'

const documented = (page: string) => blocksRunBy(import.meta.filename, page).map(({ text }) => text)
const skip =
  skipWithoutLinux || skipUnless(hasCommand('curl') && hasCommand('jq'), 'needs curl and jq: apt-get install curl jq')
const withoutTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, 'TIME')

async function workspace(t: TestContext) {
  const { here, env } = sandbox(t)
  const [control, icap] = [await freePort(), await freePort()]
  const adapted = (text: string) =>
    text
      .replaceAll('11225', `${control}`)
      .replaceAll('-p 1344', `-p ${icap}`)
      .replaceAll('src/engine/main.ts', `$& --listen 127.0.0.1:${control} --ops 127.0.0.1:0`)
  const variables = {
    ...env,
    ENGINE_INTERNAL_URL: `https://localhost:${control}`,
    ENGINE_API_TOKEN_FILE: join(here, 'engine-api-token'),
    GATEWAY_TIMEZONE: 'Europe/Zurich',
    GATEWAY_CAPTIVE_CA_PATH: join(here, 'published', 'ca', 'ca.crt'),
  }
  return {
    here,
    icap,
    programs: env.PATH.split(':')[0] ?? '',
    /** @returns what the command prints */
    run: (text: string, folder = here) => run(adapted(text), { cwd: folder, env: variables, seconds: 30 }).stdout,
    async whileRunning(text: string, use: (log: string) => boolean): Promise<void> {
      await runUntil(
        adapted(text),
        { cwd: here, env: variables, seconds: 60 },
        (log) => log.includes('"listening on https') && use(log),
      )
    },
  }
}

test('docs/policy.md: the policy to start from has no problems', { skip }, async (t) => {
  const { run } = await workspace(t)
  const [check = '', ...others] = documented('docs/policy.md')
  assert.deepEqual(others, [])
  const [, printed = ''] = /^It prints `([^`]+)`/m.exec(readPage('docs/policy.md')) ?? []
  assert.equal(run(check).trim().split('\n').at(-1), printed)
})

test('the engine’s pages, with one engine', { skip, timeout: 120_000 }, async (t) => {
  const { here, programs, run, whileRunning } = await workspace(t)
  const [start = '', decide = '', ...others] = documented('docs/engine.md')
  const [why = ''] = documented('docs/engine-api.md')
  const [rotate = ''] = documented('docs/certificates.md')
  const [find = ''] = documented('docs/engine-audit-log.md')
  const [changeKey = ''] = documented('docs/engine-state.md')
  assert.deepEqual(others, [])

  let reference = ''
  await whileRunning(start, (log) => {
    if (reference === '') {
      assert.equal(JSON.parse(run(decide)).verdict, 'warn')
      assert.equal(JSON.parse(run(why)).rule.name, 'gambling')
      const url = 'http://casino.localhost/roulette'
      reference = JSON.parse(run(decide.replace('http://news.localhost/today', url))).reference
      administer(reference, run)
    }
    if (!log.includes(reference)) return false

    writeFileSync(join(here, 'log'), log)
    writeFileSync(join(programs, 'journalctl'), `#!/bin/sh\ncat ${here}/log\n`, { mode: 0o755 })
    const [line = '[]'] = run(find.replace('x9Zr2kTQv0m4pYw1LmNb8g', reference)).trim().split('\n')
    assert.deepEqual(JSON.parse(line).slice(1), ['request.stopped', '198.51.100.7', null, 'gambling'])
    assert.match(run(rotate), /2\d{3}-/)
    return true
  })

  const folder = join(here, 'published', 'engine')
  const key = readFileSync(join(folder, 'state.key'), 'utf8')
  run(changeKey, folder)
  const [first, ...rest] = readFileSync(join(folder, 'state.key'), 'utf8').split('\n')
  assert.deepEqual([first?.length, rest.join('\n')], [44, key])
  assert.equal(statSync(join(folder, 'state.key')).mode & 0o777, 0o600)
  run(start.replace('--publish published', '$& --check'))
})

/** The commands of gatewayctl.md, about a stopped request. */
function administer(reference: string, run: (text: string) => string): void {
  const [ca, session, ...others] = blocksRunBy(import.meta.filename, 'docs/gatewayctl.md')
  assert.deepEqual(others, [])
  assert.match(run(ca?.text ?? ''), /Interception CA/)
  const commands = session === undefined ? [] : sessions(session)
  assert.equal(commands.length, 2)
  for (const [command, output] of commands) {
    const printed = run(`(${command.replace('8JN9GcCn_ldSx17RxjAv2g', reference)}) 2>&1`)
    assert.equal(withoutTimes(printed), withoutTimes(output), command)
  }
}

test('docs/icap.md: what a proxy gets', {
  skip: skip || skipUnless(hasCommand('c-icap-client'), 'needs c-icap-client: apt-get install c-icap'),
}, async (t) => {
  const { here, icap, run, whileRunning } = await workspace(t)
  const folder = join(here, 'src', 'engine')
  const [createToken = '', request = '', ...others] = documented('docs/icap.md')
  assert.deepEqual(others, [])
  run(createToken, folder)
  const settings = blocks('docs/icap.md').find(({ language }) => language === 'toml') ?? assert.fail()
  appendFileSync(join(folder, 'sample-policy.toml'), `${settings.text}listen = "127.0.0.1:${icap}"\n`)
  await whileRunning(documented('docs/engine.md')[0] ?? '', (log) => {
    if (!log.includes('"listening on icap')) return false
    assert.match(
      run(`(${request.trim()}) 2>&1`, folder),
      /\n\tHTTP\/1\.1 302 Found\n\tLocation: https:\/\/localhost\/blocked\?p=/,
    )
    return true
  })
})
