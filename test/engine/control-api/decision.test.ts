// Decisions over HTTP: answers, payloads, and requests that are none.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keyring, verdictOf } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { API_TOKEN, AUTHORIZED, BASE_URL, CLIENT, NOW, policy, startEngine } from '../running-engine.ts'

const JSON_TYPE = { ...AUTHORIZED, 'content-type': 'application/json' }
const PROBLEM = 'application/problem+json'
const RULES = `
  ${rule('exception', 'allow', 'match = ["good.casino.example"]')}
  ${rule('gambling', 'block', 'description = "Not here <b>."', 'category = "Gambling"', 'match = ["casino.example:8443", "*.casino.example"]')}
  ${rule('terminal', 'aup', 'match = ["terminal.example"]', 'acknowledge = false')}
  ${rule('pin', 'warn', 'match = ["pin.example"]', 'override = { type = "pin", code = "80361", prompt = "Staff PIN" }')}
  ${rule('passphrase', 'aup', 'match = ["passphrase.example"]', 'override = { type = "passphrase", code = "open sesame", prompt = "Schlüsselwort" }')}
`
const engine = await startEngine({ after }, policy(RULES))

test('a host without a rule, and one with an exception, are allowed', async () => {
  for (const url of ['https://other.example/', 'https://good.casino.example/', 'https://notcasino.example/']) {
    const { status, json } = await engine.decide(url)
    assert.deepEqual([status, json], [200, { verdict: 'allow' }])
  }
})

test('a blocked host gets its redirect, and the payload contains the reason', async () => {
  const { status, headers, json } = await engine.decide('https://anna:geheim@casino.example/roulette?table=7')
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
  assert.deepEqual(Object.keys(json).sort(), ['redirect', 'reference', 'rule', 'verdict'])
  assert.deepEqual([json.verdict, json.rule], ['block', 'gambling'])
  assert.ok(String(json.redirect).startsWith(`${BASE_URL}/blocked?p=`))
  const { reference, issuedAt, destination, ruleDescription, category, ackToken } = verdictOf(String(json.redirect))
  assert.deepEqual([reference, issuedAt], [json.reference, NOW])
  assert.equal(destination.href, 'https://casino.example/roulette?table=7')
  assert.deepEqual([ruleDescription, category, ackToken], ['Not here <b>.', 'Gambling', undefined])
})

test('the payload has the ack_token and the type of code that the rule allows', async () => {
  const verdict = async (host: string) => verdictOf(String((await engine.decide(`https://${host}/`)).json.redirect))
  const terminal = await verdict('terminal.example')
  assert.deepEqual([terminal.kind, terminal.ackToken], ['aup', undefined])
  const pin = await verdict('pin.example')
  assert.equal(pin.kind, 'warn')
  assert.match(String(pin.ackToken), /^[\w-]{16,512}$/)
  assert.deepEqual(pin.override, { type: 'pin', length: 5, prompt: 'Staff PIN' })
  const passphrase = await verdict('passphrase.example')
  assert.deepEqual(passphrase.override, { type: 'passphrase', prompt: 'Schlüsselwort' })
  const second = await verdict('passphrase.example')
  assert.ok(second.ackToken !== passphrase.ackToken && second.reference !== passphrase.reference)
})

test('the portal itself is never redirected to the portal', async (t) => {
  const names = 'hostnames = ["Captive.example", "2001:DB8::01"]'
  const toml = policy(rule('lockdown', 'block', 'match = ["*"]')).replace('[captive_portal]', `$&\n${names}`)
  const engine = await startEngine(t, toml)
  const hosts = ['portal.example/blocked?p=x', 'portal.example./', 'captive.example/ca', '[2001:db8::1]/ca']
  for (const host of hosts) assert.equal((await engine.decide(`http://${host}`)).json.verdict, 'allow', host)
  assert.equal((await engine.decide('https://any.example/')).json.verdict, 'block')
})

test('rules about users, and a default that blocks', async (t) => {
  const engine = await startEngine(t, policy(rule('zoe', 'allow', 'users = ["Zoë"]'), 'default = "block"'))
  const decide = async (members: object) => {
    const body = JSON.stringify({ url: 'https://any.example/', client: CLIENT, ...members })
    return (await engine.ask('POST', '/api/decision', JSON_TYPE, body)).json
  }
  assert.equal((await decide({ user: 'Zoe\u0308' })).verdict, 'allow')
  for (const members of [{}, { user: null }, { user: 'zoe' }, { method: 'POST' }]) {
    const { verdict, rule, redirect } = await decide(members)
    assert.deepEqual([verdict, rule], ['block', 'default'])
    assert.match(String(redirect), /\/blocked\?p=/)
  }
})

const X = 'https://x.example/'
const MALFORMED: readonly (string | object)[] = [
  ...['{', `{"url":"https://x.example/\u00ff","client":"${CLIENT}"}`, 'null', '[]'],
  ...[{ url: X }, { url: X, client: 'fe80::1%eth0' }, { url: X, client: '198.51.100.07' }, { url: X, client: {} }],
  ...['//x.example/', 'ftp://x.example/', `${X}\r\nX: y`, `${X}${'x'.repeat(8192)}`, `${X} `, undefined].map((url) => ({
    ...{ url, client: CLIENT },
  })),
  { url: `https://${'x.'.repeat(130)}example/`, client: CLIENT },
  ...['', 'anna\n', 'x'.repeat(257), 7].map((user) => ({ url: X, client: CLIENT, user })),
  ...['GET /', null].map((method) => ({ url: X, client: CLIENT, method })),
]

test('malformed requests', async () => {
  for (const one of MALFORMED) {
    const body = typeof one === 'string' ? one : JSON.stringify(one)
    const latin1 = Buffer.from(body, 'latin1') as unknown as string
    const { status, headers, json } = await engine.ask('POST', '/api/decision', JSON_TYPE, latin1)
    assert.deepEqual([status, headers['content-type'], json.status], [400, PROBLEM, 400], body.slice(0, 100))
  }
  assert.equal((await engine.decide(X)).status, 200)
})

test('an ambiguous path is 400 where a rule names a path, and neither counted nor logged', async (t) => {
  const engine = await startEngine(t, policy(rule('shorts', 'block', 'match = ["video.example/shorts"]')))
  for (const path of ['/shorts/ID/../..', '/shorts/%2e%2E/', '\\x', '/..?a', '/.#a']) {
    const { status, headers, json } = await engine.decide(`https://video.example${path}`)
    assert.deepEqual([status, headers['content-type']], [400, PROBLEM], path)
    assert.match(String(json.detail), /^The path of "url" has a dot segment or a backslash/)
    assert.deepEqual((await engine.decide(`https://open.example${path}`)).json, { verdict: 'allow' }, path)
  }
  // What is sealed is the normal form.
  const { json } = await engine.decide('https://video.example/shorts;v="ü"')
  assert.equal(verdictOf(String(json.redirect)).destination.href, 'https://video.example/shorts;v=%22%C3%BC%22')
  assert.deepEqual(
    engine.logged().map(({ event }) => event),
    [...Array(5).fill('request.allowed'), 'request.stopped'],
  )
  assert.deepEqual((await engine.administer('status', {})).json.decisions, { json: 6, icap: 0 })
})

test('wrong paths, methods, types and sizes get a problem document', async () => {
  const text = { ...AUTHORIZED, 'content-type': 'text/plain' }
  const cases: readonly (readonly [status: number, ...ask: Parameters<typeof engine.ask>])[] = [
    ...['/', '/__proto__', '/api/captive/ack/', '//api/captive/ack'].map((path) => [404, 'GET', path] as const),
    [405, 'GET', '/api/decision'],
    [405, 'POST', '/api/captive/ack', {}, ''],
    [405, 'HEAD', '/api/captive/ack?p=x&v=1&ts=1800000000'],
    [405, 'DELETE', '/healthz'],
    [413, 'POST', '/api/decision', JSON_TYPE, ' '.repeat(70_000)],
    [413, 'POST', '/api/decision', JSON_TYPE, ' '.repeat(5_000_000)],
    [415, 'POST', '/api/decision', text, '{}'],
    [415, 'POST', '/api/decision', AUTHORIZED, '{}'],
    [431, 'GET', '/healthz', { x: 'x'.repeat(20_000) }],
  ]
  for (const [expected, method, path, headers, body] of cases) {
    const answer = await engine.ask(method, path, headers, body)
    assert.deepEqual([answer.status, answer.headers['content-type']], [expected, PROBLEM], `${method} ${path}`)
    if (expected === 405) assert.match(String(answer.headers.allow), /^(GET|POST)$/)
    if (method === 'HEAD') assert.equal(answer.text, '')
  }
})

test('health needs no token; both calls do', async () => {
  const health = {
    ...{ status: 'ok', kid: keyring.sealing.kid, log: { allowed: true, hosts: false } },
    // Without a journal, too: absent, it would be an older engine's, of which the privacy notice says "may".
    journal: { days: 0, person_days: 0, hosts: false },
  }
  assert.deepEqual((await engine.ask('GET', '/healthz')).json, health)
  const wrong = ['', 'Bearer', `Basic ${API_TOKEN}`, `Bearer ${API_TOKEN}x`, `Bearer ${API_TOKEN} x`]
  for (const headers of [{}, ...wrong.map((authorization) => ({ authorization }))]) {
    for (const [method, path] of [
      ['POST', '/api/decision'],
      ['GET', '/api/captive/ack'],
    ] as const) {
      const answer = await engine.ask(method, path, headers)
      assert.deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Bearer'])
      assert.equal(answer.headers['content-type'], PROBLEM)
    }
  }
  assert.ok(!engine.logText().includes(API_TOKEN))
})

test('one log line for each decision, without the URL', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { json } = await engine.decide('https://casino.example/private-path')
  await engine.decide('https://other.example/private-path')
  const [blocked, allowed, ...more] = engine.logged()
  assert.equal(more.length, 0)
  const line = { level: 30, door: 'json', client: CLIENT, msg: 'decision' }
  const { reference } = json
  assert.deepEqual(blocked, { ...line, event: 'request.stopped', kind: 'block', rule: 'gambling', reference })
  assert.deepEqual(allowed, { ...line, event: 'request.allowed', session: false })
  assert.ok(!engine.logText().includes('private-path'))
})
