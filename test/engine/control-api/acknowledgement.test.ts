// Acknowledgements over HTTP: what they open, for whom and how long, and what is refused.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EXPIRED_PROBLEM } from '../../../src/contract/acknowledgement.ts'
import { ACK_TOKEN, claims, verdictQuery } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { CLIENT, NOW, policy, startEngine } from '../running-engine.ts'

const RULES = `
  ${rule('news', 'warn', 'match = ["news.example", "other-news.example"]')}
  ${rule('social', 'aup', 'match = ["social.example"]', 'session_minutes = 5')}
`
const NEWS = 'https://news.example/today?id=7&x=y'
const SOCIAL = 'https://social.example/'
const engine = await startEngine({ after }, policy(RULES, 'acknowledgement_minutes = 120'))

/** What this client gets. */
const verdictOf = async (url: string, client: string) => (await engine.decide(url, client)).json.verdict

test('a redirect to the URL, and a session of an hour for the client of the verdict and the rule', async () => {
  const client = '203.0.113.1'
  // Anybody may redeem it.
  const query = await engine.verdict(NEWS, client)
  const accepted = await engine.acknowledge(query, undefined, { 'x-forwarded-for': '203.0.113.9' })
  assert.deepEqual([accepted.status, accepted.headers.location, accepted.text], [302, NEWS, ''])
  const { 'cache-control': caching, 'x-content-type-options': types, 'x-frame-options': frames } = accepted.headers
  assert.deepEqual([caching, types, frames], ['no-store', 'nosniff', 'DENY'])
  assert.deepEqual((await engine.decide(NEWS, client)).json, { verdict: 'allow' })
  assert.equal(await verdictOf('https://other-news.example/', client), 'allow', 'the same rule')
  assert.equal(await verdictOf(SOCIAL, client), 'aup', 'another rule')
  assert.equal(await verdictOf(NEWS, '203.0.113.9'), 'warn', 'another client')
  engine.pass(1800)
  const repeated = await engine.acknowledge(query)
  assert.deepEqual([repeated.status, repeated.headers.location], [302, NEWS])
  engine.pass(1800 - 1)
  assert.equal(await verdictOf(NEWS, client), 'allow')
  engine.pass(1)
  assert.equal(await verdictOf(NEWS, client), 'warn', 'the repeated one mints nothing')
})

test('a rule can have its own session length', async () => {
  const client = '203.0.113.2'
  await engine.acknowledge(await engine.verdict(SOCIAL, client))
  engine.pass(5 * 60 - 1)
  assert.equal(await verdictOf(SOCIAL, client), 'allow')
  engine.pass(1)
  assert.equal(await verdictOf(SOCIAL, client), 'aup')
})

test('an IPv4-mapped address is its IPv4 client; another address of a /64 is another client', async () => {
  await engine.acknowledge(await engine.verdict(NEWS, '::ffff:203.0.113.3'))
  assert.equal(await verdictOf(NEWS, '203.0.113.3'), 'allow')
  await engine.acknowledge(await engine.verdict(NEWS, '2001:DB8::0:1'))
  assert.equal(await verdictOf(NEWS, '2001:db8:0:0::1'), 'allow')
  assert.equal(await verdictOf(NEWS, '2001:db8::2'), 'warn')
})

test('the original URL is kept whole where the payload had to shorten it', async () => {
  const long = `https://news.example/path?q=${'x'.repeat(7000)}`
  assert.equal((await engine.acknowledge(await engine.verdict(long, '203.0.113.4'))).headers.location, long)
  const unusual = await engine.acknowledge(await engine.verdict('https://u:p@news.example/ü b?q=ß', '203.0.113.5'))
  assert.equal(unusual.headers.location, 'https://news.example/%C3%BC%20b?q=%C3%9F')
})

test('it expires when the replay window and a quarter of an hour have passed, a repeated one too', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(NEWS)
  const acknowledged = await engine.verdict(SOCIAL)
  const opened = await engine.acknowledge(acknowledged)
  engine.pass(300 + 15 * 60)
  const repeated = await engine.acknowledge(acknowledged)
  assert.deepEqual([repeated.status, repeated.headers.location], [302, opened.headers.location])
  engine.pass(1)
  for (const late of [query, acknowledged]) {
    const { status, headers, json } = await engine.acknowledge(late)
    assert.deepEqual([status, headers['content-type'], json.type], [410, 'application/problem+json', EXPIRED_PROBLEM])
  }
})

test('payloads that this engine did not issue for acknowledgement are refused, and hostile queries are 400', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(NEWS)
  const p = query.slice(2, query.indexOf('&'))
  const reference = String((await engine.decide(NEWS)).json.reference)
  const refused = {
    tampered: query.replace(/\.(.)(?=[^.]*&)/, (_, one) => `.${one === 'A' ? 'B' : 'A'}`),
    'no token': verdictQuery(claims(NOW, { kind: 'warn' })),
    block: verdictQuery(claims(NOW)),
    'another token': verdictQuery(claims(NOW, { kind: 'warn', jti: reference, ack_token: ACK_TOKEN })),
    'a verdict of nobody': verdictQuery(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN })),
    'another ts': query.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
    garbage: `p=x&v=1&ts=${NOW}`,
  }
  const hostile = [
    ...['', `p=${p}&v=1`, `p=${p}&ts=${NOW}`, `v=1&ts=${NOW}`, `p=&v=1&ts=${NOW}`],
    ...[`${query}&p=${p}`, `${query}&ts=${NOW}`, `${query}&override=1`, `${query}&`, `?${query}`],
    ...[query.replaceAll('&', ';'), query.replace('p=', 'P='), query.replace('p=', 'p[]=')],
    ...[query.replace('v=1', 'v=2'), query.replace('v=1', 'v=01'), query.replace('ts=', 'ts=+')],
    ...[query.replace(`ts=${NOW}`, 'ts=1.8e9'), Array.from({ length: 2000 }, (_, n) => `a${n}=`).join('&')],
  ]
  const cases = [...Object.entries(refused), ...hostile.map((one) => ['hostile', one] as const)]
  for (const [name, one] of cases) {
    const { status, headers, json } = await engine.acknowledge(one)
    assert.equal(status, name === 'hostile' ? 400 : 403, `${name} ${one.slice(0, 80)}`)
    assert.deepEqual([headers['content-type'], json.type], ['application/problem+json', 'about:blank'], name)
  }
  assert.equal((await engine.decide(NEWS)).json.verdict, 'warn')
  assert.equal((await engine.acknowledge(query)).status, 302, 'the control')
})

test('each acknowledgement is one JSON log line, with the reference and without the payload', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { json } = await engine.decide(NEWS)
  const query = new URL(String(json.redirect)).search.slice(1)
  await engine.acknowledge(query, undefined, { 'x-forwarded-for': '"}\t{"level":60' })
  await engine.acknowledge(`${query}&x`, undefined, { 'x-forwarded-for': '203.0.113.9' })
  const [, accepted, malformed, ...more] = engine.logged()
  const line = { level: 30, event: 'acknowledgement', msg: 'acknowledgement' }
  const { reference } = json
  assert.deepEqual(accepted, { ...line, reference, rule: 'news', client: CLIENT, outcome: 'accepted', repeated: false })
  assert.deepEqual(malformed, { ...line, forwardedFor: '203.0.113.9', outcome: 'malformed' })
  assert.deepEqual(more, [])
  assert.ok(!engine.logText().includes(query.slice(2, 40)))
})
