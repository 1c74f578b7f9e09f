// The engine's audit log: a real engine produces every event, and each line is checked against the published schema.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { auditEvents } from '../../../src/engine/monitoring/audit-events.ts'
import { ACKNOWLEDGEMENT_OUTCOMES } from '../../../src/engine/monitoring/tally.ts'
import { rule } from '../../support/rules.ts'
import { until } from '../../support/until.ts'
import { CLIENT, startEngine, TOKEN } from './engine-process.ts'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const holds = new Ajv2020({ validateFormats: false }).compile(JSON.parse(read('engine-audit-log.schema.json')))

const CODE = 'zqcode-1234'
const RULES = `
${rule('gambling', 'block', 'match = [".zqhost.example"]')}
${rule('news', 'warn', 'match = ["news.example"]')}
${rule('exam', 'block', 'match = ["exam.example"]', 'switch = "exam"')}
${rule('lab', 'aup', 'match = ["lab.example"]', `override = { type = "passphrase", code = "${CODE}", attempts = 2 }`)}
[groups]
staff = { users = ["zoë"] }
`

test('the documentation explains every outcome', () => {
  for (const outcome of ACKNOWLEDGEMENT_OUTCOMES) {
    assert.match(read('engine-audit-log.md'), new RegExp(`^- [^:]*\`${outcome}\`.*: .`, 'm'), outcome)
  }
})

test('every event, and in none a URL, a payload, a code or a token', { timeout: 60_000 }, async (t) => {
  const engine = await startEngine(t, `${RULES}[audit]\nallowed = true\n[presence]\ntoken_file = "presence-token"\n`, {
    files: { 'presence-token': 'zqpresence-token-0123' },
    variables: { PROXY_AUTH_EXCEPT: '192.168.50.0/24' },
  })
  const forged = await engine.decide('https://zqhost.example/zqpath?zqquery', { user: 'Zoë\n{"event":"forged"}' })
  assert.equal(forged.status, 400)
  const stopped = await engine.decide('https://zqhost.example/zqpath?zqquery', { user: 'zoë' })
  const news = await engine.decide('https://news.example/zqpath')
  await engine.acknowledge(news.redirect)
  await engine.acknowledge(news.redirect)
  await engine.decide('https://news.example/zqpath')
  await engine.decide('https://other.example/zqpath')
  const lab = await engine.decide('https://lab.example/zqpath', { user: 'zoë' })
  await engine.acknowledge(lab.redirect)
  await engine.acknowledge(lab.redirect, 'zqwrong-1')
  await engine.acknowledge(lab.redirect, 'zqwrong-2')
  await engine.ask('GET', '/api/captive/ack?p=zqpayload', { 'x-forwarded-for': '203.0.113.9' })
  await engine.ask('GET', `/api/captive/ack?p=zqpayload&v=1&ts=${Math.floor(Date.now() / 1000)}`)
  await engine.ask('GET', '/api/captive/ack?p=zqpayload', { authorization: 'Bearer zqother' })
  await engine.administer('permissions/allow', { host: '.allowed.example', minutes: 5, by: 'Ms Rossi' })
  const scope = { client: '10.0.0.0/8', user: 'zoë', group: 'staff' }
  await engine.administer('permissions/allow', { host: 'allowed.example', minutes: 5, by: 'Ms Rossi', ...scope })
  await engine.administer('permissions/end', { host: '.allowed.example' })
  await engine.administer('switches/on', { switch: 'exam', client: '192.168.12.0/24', minutes: 5, by: 'Ms Rossi' })
  await engine.administer('switches/off', { switch: 'exam', all: true })
  await engine.administer('codes/new', { rule: 'lab', minutes: 5, by: 'Ms Rossi' })
  const { codes } = JSON.parse((await engine.administer('codes/list', {})).body) as { codes: { id: string }[] }
  await engine.administer('codes/end', { id: codes[0]?.id })
  await engine.administer('sessions/end', { rule: 'news' })
  await engine.administer('lockouts/end', { all: true })
  await engine.administer('privacy/delete', { user: 'nobody-here', by: 'Ms Rossi' })
  const presence = `/api/presence?client=192.168.50.7&user=Zo%C3%AB&until=${Math.floor(Date.now() / 1000) + 60}`
  const reporting = { authorization: 'Bearer zqpresence-token-0123' }
  for (const method of ['PUT', 'PUT', 'DELETE']) {
    await engine.ask(method, method === 'PUT' ? presence : presence.replace(/&until.*/, ''), reporting)
  }
  await engine.administer('reload', {})
  await until(() => engine.events().some(({ event }) => event === 'reload.requested'))

  const events = engine.events()
  assert.equal(holds({ ...events[0], url: 'x' }), false, 'the schema rejects unknown members')
  for (const line of events) assert.ok(holds(line), `${JSON.stringify(holds.errors)}: ${JSON.stringify(line)}`)
  const names = new Set(auditEvents.map(({ shape }) => shape.event.value))
  assert.deepEqual(new Set(events.map(({ event }) => event)), names)
  const of = (name: string) =>
    events.filter(({ event }) => event === name).map(({ level: _, time: __, event: ___, msg: ____, ...rest }) => rest)
  const door = { door: 'json', client: CLIENT }
  assert.deepEqual(of('request.stopped'), [
    { ...door, user: 'zoë', kind: 'block', rule: 'gambling', reference: stopped.reference },
    { ...door, kind: 'warn', rule: 'news', reference: news.reference },
    { ...door, user: 'zoë', kind: 'aup', rule: 'lab', reference: lab.reference },
  ])
  assert.deepEqual(of('request.allowed'), [
    { ...door, rule: 'news', session: true },
    { ...door, session: false },
  ])
  assert.deepEqual(
    of('permission.granted').map(({ client, user, group }) => ({ client, user, group })),
    [{ client: undefined, user: undefined, group: undefined }, scope],
  )
  const known = { reference: news.reference, rule: 'news', client: CLIENT }
  const locked = { reference: lab.reference, rule: 'lab', client: CLIENT, user: 'zoë' }
  assert.deepEqual(of('acknowledgement'), [
    { outcome: 'accepted', repeated: false, ...known },
    { outcome: 'accepted', repeated: true, ...known },
    { outcome: 'code missing', ...locked },
    { outcome: 'code rejected', attemptsRemaining: 1, ...locked },
    { outcome: 'locked out', retryAfterSeconds: 900, ...locked },
    { outcome: 'malformed', forwardedFor: '203.0.113.9' },
    { outcome: 'refused', reason: 'form' },
  ])
  assert.deepEqual(
    [...of('presence.reported'), ...of('presence.ended')].map(({ until: _, ...rest }) => rest),
    Array(2).fill({ from: '127.0.0.1', client: '192.168.50.7', user: 'zoë' }),
  )
  const text = JSON.stringify(engine.lines)
  assert.doesNotMatch(text, /zq(host|path|query|payload|code|wrong|other|presence)|eyJ|"p":/)
  assert.ok(!text.includes(TOKEN))
})

test('allowed requests and hosts only on demand; hostile text stays on its line', { timeout: 60_000 }, async (t) => {
  const engine = await startEngine(t, `${RULES}[audit]\nhosts = true\n`)
  await engine.decide('https://other.example/zqpath')
  await engine.decide('https://user:zqpassword@WWW.zqhost.example:8443/zqpath')
  await engine.decide('https://zqhost.example/', { user: '"}\u2028\u202e\u200b{"event":"forged"}' })
  await until(() => engine.events().length > 1)
  assert.deepEqual(
    engine.events().map(({ event, host, user }) => [event, host, user]),
    [
      ['request.stopped', 'www.zqhost.example', undefined],
      ['request.stopped', 'zqhost.example', '"} {"event":"forged"}'],
    ],
  )
  assert.doesNotMatch(JSON.stringify(engine.lines), /zqpath|zqpassword/)
})

test('a reader that stalls stops no decision; lines that were kept follow', { timeout: 60_000 }, async (t) => {
  const engine = await startEngine(t, RULES, { unread: true })
  // Several times what a pipe holds (64 KiB).
  const COUNT = 2_000
  for (let sent = 0; sent < COUNT; sent += 16) {
    const verdicts = await Promise.all(Array.from({ length: 16 }, () => engine.decide('https://zqhost.example/')))
    for (const { verdict } of verdicts) assert.equal(verdict, 'block')
  }
  assert.ok(engine.events().length < COUNT)
  engine.resume()
  await until(() => engine.events().length === COUNT)
})
