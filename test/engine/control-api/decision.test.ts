import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyring, verdictOf } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { API_TOKEN, AUTHORIZED, BASE_URL, CLIENT, NOW, policy, startEngine } from '../running-engine.ts'

const JSON_TYPE = { ...AUTHORIZED, 'content-type': 'application/json' }
const RULES = `
  ${rule('exception', 'allow', 'match = ["good.casino.example"]')}
  ${rule('gambling', 'block', 'description = "Not here <b>."', 'category = "Gambling"', 'match = ["casino.example:8443", "*.casino.example"]')}
  ${rule('terminal', 'aup', 'match = ["terminal.example"]', 'acknowledge = false')}
  ${rule('pin', 'warn', 'match = ["pin.example"]', 'override = { type = "pin", code = "80361", prompt = "Staff PIN" }')}
  ${rule('passphrase', 'aup', 'match = ["passphrase.example"]', 'override = { type = "passphrase", code = "open sesame", prompt = "Schlüsselwort" }')}
`

function openRedirect(redirect: unknown) {
  return verdictOf(String(redirect))
}

test('a host without a rule, and one with an exception, are allowed', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  for (const url of ['https://other.example/', 'https://good.casino.example/', 'https://notcasino.example/']) {
    const { status, json } = await engine.decide(url)
    assert.equal(status, 200)
    assert.deepEqual(json, { verdict: 'allow' })
  }
})

test('a blocked host gets its redirect, and the payload contains the reason', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { status, headers, json } = await engine.decide('https://anna:geheim@casino.example/roulette?table=7')
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'no-store')
  assert.deepEqual(Object.keys(json).sort(), ['redirect', 'reference', 'rule', 'verdict'])
  assert.equal(json.verdict, 'block')
  assert.equal(json.rule, 'gambling')
  assert.ok(String(json.redirect).startsWith(`${BASE_URL}/blocked?p=`))
  const verdict = openRedirect(json.redirect)
  assert.equal(verdict.reference, json.reference)
  assert.equal(verdict.issuedAt, NOW)
  assert.equal(verdict.destination.href, 'https://casino.example/roulette?table=7')
  assert.equal(verdict.ruleDescription, 'Not here <b>.')
  assert.equal(verdict.category, 'Gambling')
  assert.equal(verdict.ackToken, undefined)
})

test('host patterns ignore port, case and the root dot', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  for (const url of ['http://CASINO.example:9/', 'http://casino.example./', 'http://a.b.casino.example/']) {
    assert.equal((await engine.decide(url)).json.verdict, 'block', url)
  }
})

test('the payload has the ack_token and the type of code that the rule allows', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const verdictOf = async (host: string) => openRedirect((await engine.decide(`https://${host}/`)).json.redirect)
  const terminal = await verdictOf('terminal.example')
  assert.equal(terminal.kind, 'aup')
  assert.equal(terminal.ackToken, undefined)
  const pin = await verdictOf('pin.example')
  assert.equal(pin.kind, 'warn')
  assert.match(String(pin.ackToken), /^[\w-]{16,512}$/)
  assert.deepEqual(pin.override, { type: 'pin', length: 5, prompt: 'Staff PIN' })
  const passphrase = await verdictOf('passphrase.example')
  assert.deepEqual(passphrase.override, { type: 'passphrase', prompt: 'Schlüsselwort' })
  const second = await verdictOf('passphrase.example')
  assert.notEqual(second.ackToken, passphrase.ackToken)
  assert.notEqual(second.reference, passphrase.reference)
})

test('the portal itself is never redirected to the portal', async (t) => {
  const toml = policy('[[rules]]\nname = "lockdown"\nmatch = ["*"]\naction = "block"\n')
  const names = 'hostnames = ["Captive.example", "2001:DB8::01"]'
  const engine = await startEngine(
    t,
    toml.replace('[captive_portal]', (table) => `${table}\n${names}`),
  )
  assert.equal((await engine.decide(`${BASE_URL}/blocked?p=x`)).json.verdict, 'allow')
  for (const host of ['portal.example', 'portal.example.', 'captive.example', '[2001:db8::1]']) {
    assert.equal((await engine.decide(`http://${host}/ca`)).json.verdict, 'allow', host)
  }
  assert.equal((await engine.decide('https://any.example/')).json.verdict, 'block')
})

test('rules about users, and a default that blocks', async (t) => {
  const rules = '[[rules]]\nname = "zoe"\nusers = ["Zoë"]\naction = "allow"'
  const engine = await startEngine(t, policy(rules, 'default = "block"'))
  const decide = async (members: object) => {
    const body = JSON.stringify({ url: 'https://any.example/', client: CLIENT, ...members })
    return (await engine.ask('POST', '/api/decision', JSON_TYPE, body)).json
  }
  for (const user of ['zoë', 'ZOË', 'Zoe\u0308']) assert.equal((await decide({ user })).verdict, 'allow', user)
  for (const members of [{}, { user: null }, { user: 'zoe' }, { method: 'POST' }]) {
    const { verdict, rule, redirect } = await decide(members)
    assert.deepEqual([verdict, rule], ['block', 'default'])
    assert.match(String(redirect), /\/blocked\?p=/)
  }
})

const malformed: [string, string][] = [
  ['no JSON', '{'],
  ['bytes that are no UTF-8', `{"url":"https://x.example/\u00ff","client":"${CLIENT}"}`],
  ['null', 'null'],
  ['a list', '[]'],
  ['no client', JSON.stringify({ url: 'https://x.example/' })],
  ['a client with a zone', JSON.stringify({ url: 'https://x.example/', client: 'fe80::1%eth0' })],
  ['a client that is not an address', JSON.stringify({ url: 'https://x.example/', client: '198.51.100.07' })],
  ['a client that is an object', JSON.stringify({ url: 'https://x.example/', client: {} })],
  ['no URL', JSON.stringify({ client: CLIENT })],
  ['a relative URL', JSON.stringify({ url: '//x.example/', client: CLIENT })],
  ['another scheme', JSON.stringify({ url: 'ftp://x.example/', client: CLIENT })],
  ['a line break', JSON.stringify({ url: 'https://x.example/\r\nX: y', client: CLIENT })],
  ['too long a URL', JSON.stringify({ url: `https://x.example/${'x'.repeat(8192)}`, client: CLIENT })],
  ['an empty user', JSON.stringify({ url: 'https://x.example/', client: CLIENT, user: '' })],
  ['a user with a line break', JSON.stringify({ url: 'https://x.example/', client: CLIENT, user: 'anna\n' })],
  ['too long a user', JSON.stringify({ url: 'https://x.example/', client: CLIENT, user: 'x'.repeat(257) })],
  ['a user that is a number', JSON.stringify({ url: 'https://x.example/', client: CLIENT, user: 7 })],
  ['a method with a space', JSON.stringify({ url: 'https://x.example/', client: CLIENT, method: 'GET /' })],
  ['no text as the method', JSON.stringify({ url: 'https://x.example/', client: CLIENT, method: null })],
  ['a space at the end', JSON.stringify({ url: 'https://x.example/ ', client: CLIENT })],
  ['too long a host', JSON.stringify({ url: `https://${'x.'.repeat(130)}example/`, client: CLIENT })],
]

test('malformed decision requests', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  for (const [name, body] of malformed) {
    await t.test(name, async () => {
      const latin1 = Buffer.from(body, 'latin1') as unknown as string
      const answer = await engine.ask('POST', '/api/decision', JSON_TYPE, latin1)
      assert.equal(answer.status, 400)
      assert.equal(answer.headers['content-type'], 'application/problem+json')
      assert.equal(answer.json.status, 400)
    })
  }
  assert.equal((await engine.decide('https://x.example/')).status, 200)
})

test('an ambiguous path is 400 where a rule names a path, and neither counted nor logged', async (t) => {
  const rules = '[[rules]]\nname = "shorts"\nmatch = ["video.example/shorts"]\naction = "block"'
  const engine = await startEngine(t, policy(rules))
  for (const path of ['/shorts/ID/../..', '/shorts/ID\\..\\..', '/shorts/%2e%2E/', '\\x', '/..?a', '/.#a']) {
    const { status, headers, json } = await engine.decide(`https://video.example${path}`)
    assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json'], path)
    assert.match(String(json.detail), /^The path of "url" has a dot segment or a backslash/)
    assert.deepEqual((await engine.decide(`https://open.example${path}`)).json, { verdict: 'allow' }, path)
  }
  const urls = ['/%73horts/ID/..;/..;/', '/x/..%2Fshorts', '/shorts;v=1']
  for (const path of urls) assert.equal((await engine.decide(`https://video.example${path}`)).json.verdict, 'block')
  // What is sealed is the normal form.
  const { json } = await engine.decide('https://video.example/shorts;v="ü"')
  assert.equal(openRedirect(json.redirect).destination.href, 'https://video.example/shorts;v=%22%C3%BC%22')
  assert.deepEqual(
    engine.logged().map(({ event }) => event),
    [...Array(6).fill('request.allowed'), ...Array(4).fill('request.stopped')],
  )
  assert.deepEqual((await engine.administer('status', {})).json.decisions, { json: 10, icap: 0 })
})

test('wrong paths, methods, types and sizes get a problem document', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const answers: [number, Promise<{ status: number; headers: Record<string, unknown> }>][] = [
    [404, engine.ask('GET', '/')],
    [404, engine.ask('GET', '/__proto__')],
    [404, engine.ask('GET', '/api/captive/ack/')],
    [404, engine.ask('GET', '//api/captive/ack')],
    [405, engine.ask('GET', '/api/decision')],
    [405, engine.ask('POST', '/api/captive/ack', {}, '')],
    [405, engine.ask('DELETE', '/healthz')],
    [413, engine.ask('POST', '/api/decision', JSON_TYPE, ' '.repeat(70_000))],
    [413, engine.ask('POST', '/api/decision', JSON_TYPE, ' '.repeat(5_000_000))],
    [415, engine.ask('POST', '/api/decision', { ...AUTHORIZED, 'content-type': 'text/plain' }, '{}')],
    [415, engine.ask('POST', '/api/decision', AUTHORIZED, '{}')],
    [431, engine.ask('GET', '/healthz', { x: 'x'.repeat(20_000) })],
  ]
  for (const [status, answer] of answers) {
    const { status: actual, headers } = await answer
    assert.equal(actual, status)
    assert.equal(headers['content-type'], 'application/problem+json')
    if (status === 405) assert.match(String(headers.allow), /^(GET|POST)$/)
  }
})

test('HEAD is a wrong method, and gets no body', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { status, text } = await engine.ask('HEAD', '/api/captive/ack?p=x&v=1&ts=1800000000')
  assert.equal(status, 405)
  assert.equal(text, '')
})

test('health needs no token; both calls do', async (t) => {
  const token = API_TOKEN
  const engine = await startEngine(t, policy(RULES))
  const health = { status: 'ok', kid: keyring.sealing.kid, log: { allowed: true, hosts: false } }
  assert.deepEqual((await engine.ask('GET', '/healthz')).json, health)
  for (const authorization of [undefined, '', 'Bearer', `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token} x`]) {
    const headers = authorization === undefined ? {} : { authorization }
    for (const [method, path] of [
      ['POST', '/api/decision'],
      ['GET', '/api/captive/ack'],
    ] as const) {
      const answer = await engine.ask(method, path, headers)
      assert.equal(answer.status, 401)
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
      assert.equal(answer.headers['content-type'], 'application/problem+json')
    }
  }
  assert.equal((await engine.decide('https://casino.example/')).json.verdict, 'block')
  const query = await engine.verdict('https://pin.example/')
  assert.equal((await engine.acknowledge(query, '80361')).status, 302)
  assert.ok(!engine.logText().includes(token))
})

test('one log line for each decision, without the URL', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { json } = await engine.decide('https://casino.example/private-path')
  await engine.decide('https://other.example/private-path')
  const [blocked, allowed, ...more] = engine.logged()
  assert.equal(more.length, 0)
  const { reference } = json
  assert.deepEqual(blocked, {
    ...{ level: 30, event: 'request.stopped', door: 'json', client: CLIENT },
    ...{ kind: 'block', rule: 'gambling', reference, msg: 'decision' },
  })
  assert.deepEqual(allowed, {
    ...{ level: 30, event: 'request.allowed', door: 'json', client: CLIENT, session: false, msg: 'decision' },
  })
  assert.ok(!engine.logText().includes('private-path'))
})
