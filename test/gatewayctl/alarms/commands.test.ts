// `alarms check`, `test` and `list` against a real engine and a real SMTP server. `npm run check -- alarms` kills engines.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { API_TOKEN, policy, startEngine } from '../../engine/running-engine.ts'
import { type Cleanup, inReverse } from '../../support/cleanup.ts'
import { freePort } from '../../support/free-port.ts'
import { listen } from '../../support/listen.ts'
import { bodyOf, skipWithoutSmtp, startSmtpServer } from '../../support/smtp-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { gatewayctl } from '../gatewayctl.ts'

/** A folder with a policy that has this section, and rounds two minutes apart. Only what the test breaks is wrong. */
function watcher(t: Cleanup, section: string, env: Readonly<Record<string, string>>) {
  const folder = temporaryFolder(t)
  const policy = join(folder, 'policy.toml')
  const state = join(folder, 'state', 'alarms.json')
  // What this machine itself has or lacks.
  const ignore = 'ignore = ["disk", "clock", "systemd", "terminator", "portal", "unchecked", "certificate"]'
  const write = (more: string) => writeFileSync(policy, `[alarms]\n${ignore}\n${more}`)
  write(section)
  let now = Date.now()
  const run = (...args: readonly string[]) =>
    gatewayctl(['alarms', ...args], { env: { GATEWAY_HOME: folder, PATH: '/usr/bin:/bin', ...env }, clock: () => now })
  return {
    ...{ folder, policy, state, write, run },
    round() {
      now += 120_000
      return run('check', '--config', policy, '--state', state)
    },
  }
}

test('an engine that no longer responds: one mail in the second round, one when it is back', {
  skip: skipWithoutSmtp,
}, async (t) => {
  const cleanup = inReverse(t)
  const engine = await startEngine(cleanup, policy(''))
  const server = await startSmtpServer(cleanup)
  const mail = `to = ["it@school.example"]\nfrom = "gateway@school.example"\nsmtp = "smtp://127.0.0.1:${server.port}"\n`
  const address = `https://127.0.0.1:${engine.port}`
  const env = {
    ...{ ENGINE_INTERNAL_URL: address, ENGINE_API_TOKEN: API_TOKEN, GATEWAY_CAPTIVE_HOSTNAME: 'portal.example' },
    ENGINE_CA_FILE: join(engine.folder, 'ca', 'ca.crt'),
  }
  const { round, run, state, policy: file } = watcher(cleanup, mail, env)
  const healthy = await round()
  assert.deepEqual([healthy.stdout, healthy.stderr, healthy.status], ['Nothing is wrong.\n', '', 0])

  env.ENGINE_INTERNAL_URL = `https://127.0.0.1:${await freePort()}`
  const first = await round()
  assert.match(first.stdout, /^engine: The engine does not respond: no response from https:\S+: ECONNREFUSED/)
  assert.deepEqual([first.status, server.mails.length], [0, 0])
  const second = await round()
  assert.match(second.stdout, /\nSent by mail: 250 2\.0\.0 Ok: queued as 4F2A\n$/)
  const [alarm = assert.fail()] = server.mails
  assert.match(alarm.content, /^Subject: \[portal\.example\] ALARM: engine\r$/m)
  assert.match(bodyOf(alarm), /\nALARM {2}The engine does not respond: .*\n {7}since .* UTC\n {7}to do: docker compose/)
  const listed = await run('list', '--state', state)
  assert.match(listed.stdout, /^engine +\d{4}-.* UTC +\d{4}-.* UTC +The engine does not respond/m)
  for (let at = 0; at < 3; at++) await round()
  assert.equal(server.mails.length, 1)

  env.ENGINE_INTERNAL_URL = address
  await round()
  await round()
  assert.equal(server.mails.length, 2)
  assert.match(server.mails[1]?.content ?? '', /^Subject: \[portal\.example\] ended: engine\r$/m)
  assert.match((await run('list', '--state', state)).stdout, /^Nothing is wrong\.\nLast round: /)
  // Nothing of the engine's secrets is in mails or state.
  assert.ok(![JSON.stringify(server.mails), readFileSync(state, 'utf8')].some((place) => place.includes(API_TOKEN)))
  assert.match((await run('test', '--config', file)).stdout, /^Sent by mail: 250 /)
})

test('a mail that cannot be sent: exit code 1, the webhook is still sent, and the next round tries again', async (t) => {
  const bodies: { readonly alarms: readonly { readonly cause: string }[] }[] = []
  const hook = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)))
    response.end()
  })
  const hookPort = await listen(t, hook)
  const closed = await freePort()
  const section = (port: number) =>
    `to = ["it@school.example"]\nsmtp = "smtp://127.0.0.1:${port}"\nwebhook = "http://127.0.0.1:${hookPort}/T0SECRET"\n`
  const env = { ENGINE_INTERNAL_URL: `https://127.0.0.1:${closed}`, ENGINE_API_TOKEN: API_TOKEN }
  const { round } = watcher(t, section(closed), env)
  await round()
  for (let at = 0; at < 2; at++) {
    const { status, stdout, stderr } = await round()
    assert.equal(status, 1)
    assert.match(stderr, /^error: not sent by mail: 127\.0\.0\.1:\d+: connect ECONNREFUSED/)
    assert.equal(stdout.includes('Sent by webhook: '), at === 0)
    assert.doesNotMatch(stdout + stderr, /T0SECRET/)
  }
  assert.deepEqual(
    bodies.map(({ alarms }) => alarms.map(({ cause }) => cause)),
    [['engine']],
  )
})

test('a section that can no longer be read: alarms go where it said before, and that is one of them', async (t) => {
  const bodies: string[] = []
  const hook = createServer(async (request, response) => {
    bodies.push(await text(request))
    response.end()
  })
  const webhook = `webhook = "http://127.0.0.1:${await listen(t, hook)}/x"\n`
  const { round, write, run, policy } = watcher(t, webhook, { ENGINE_INTERNAL_URL: '' })
  assert.equal((await round()).status, 0)
  write(`${webhook}to = "\n`)
  await round()
  const { stdout, stderr } = await round()
  assert.match(stdout, /^alarms: The section \[alarms\] cannot be read/)
  assert.match(stderr, /^warning: .*policy\.toml/)
  assert.equal(bodies.length, 1)
  assert.equal(JSON.parse(bodies[0] ?? '').alarms[0].cause, 'alarms')
  const tested = await run('test', '--config', policy)
  assert.deepEqual([tested.status, tested.stdout], [2, ''])
})

test('without a section, or a file, the exit code is 2', async (t) => {
  const { round, policy } = watcher(t, '', {})
  writeFileSync(policy, '[control]\n')
  const { status, stderr } = await round()
  assert.equal(status, 2)
  assert.match(stderr, /^error: \S+policy\.toml must have a section \[alarms\]; it has none$/m)
})

test('a watcher that does not run is noticed by the age of its last round', async (t) => {
  const hook = createServer((_, response) => void response.end())
  const webhook = `webhook = "http://127.0.0.1:${await listen(t, hook)}/x"\n`
  const { round, run, state } = watcher(t, webhook, { ENGINE_INTERNAL_URL: '' })
  assert.equal((await run('list', '--state', state, '--max-age', '10m')).status, 1)
  await round()
  assert.equal((await run('list', '--state', state, '--max-age', '10m')).status, 0)
  const { stdout } = await run('list', '--state', state, '--json')
  assert.deepEqual(JSON.parse(stdout).alarms, [])
})
