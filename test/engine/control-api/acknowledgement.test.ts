import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXPIRED_PROBLEM } from '../../../src/contract/acknowledgement.ts'
import { ACK_TOKEN, claims, verdictQuery } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { CLIENT, NOW, policy, startEngine } from '../running-engine.ts'

const RULES = `
  ${rule('news', 'warn', 'match = ["news.example", "other-news.example"]')}
  ${rule('social', 'aup', 'match = ["social.example"]', 'session_minutes = 5')}
`
const URL_ASKED = 'https://news.example/today?id=7&x=y'

test('an acknowledgement redirects to the URL and mints a session of an hour', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const accepted = await engine.acknowledge(await engine.verdict(URL_ASKED))
  assert.equal(accepted.status, 302)
  assert.equal(accepted.headers.location, URL_ASKED)
  assert.equal(accepted.headers['cache-control'], 'no-store')
  assert.equal(accepted.headers['x-content-type-options'], 'nosniff')
  assert.equal(accepted.headers['x-frame-options'], 'DENY')
  assert.equal(accepted.text, '')
  assert.deepEqual((await engine.decide(URL_ASKED)).json, { verdict: 'allow' })
  assert.equal((await engine.decide('https://other-news.example/')).json.verdict, 'allow', 'the same rule')
  assert.equal((await engine.decide('https://social.example/')).json.verdict, 'aup', 'another rule')
  assert.equal((await engine.decide(URL_ASKED, '198.51.100.8')).json.verdict, 'warn', 'another client')
  engine.pass(3600 - 1)
  assert.equal((await engine.decide(URL_ASKED)).json.verdict, 'allow')
  engine.pass(1)
  assert.equal((await engine.decide(URL_ASKED)).json.verdict, 'warn')
})

test('a rule can have its own session length', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  await engine.acknowledge(await engine.verdict('https://social.example/'))
  engine.pass(5 * 60 - 1)
  assert.equal((await engine.decide('https://social.example/')).json.verdict, 'allow')
  engine.pass(1)
  assert.equal((await engine.decide('https://social.example/')).json.verdict, 'aup')
})

test('the original URL is kept whole where the payload had to shorten it', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const long = `https://news.example/path?q=${'x'.repeat(7000)}`
  assert.equal((await engine.acknowledge(await engine.verdict(long))).headers.location, long)
  const unusual = await engine.acknowledge(await engine.verdict('https://u:p@news.example/ü b?q=ß', '198.51.100.8'))
  assert.equal(unusual.headers.location, 'https://news.example/%C3%BC%20b?q=%C3%9F')
})

test('a repeated acknowledgement gets the same redirect and mints nothing new', async (t) => {
  const engine = await startEngine(t, policy(RULES, 'acknowledgement_minutes = 120'))
  const query = await engine.verdict(URL_ASKED)
  const first = await engine.acknowledge(query)
  engine.pass(1800)
  const second = await engine.acknowledge(query)
  assert.equal(second.status, 302)
  assert.equal(second.headers.location, first.headers.location)
  engine.pass(1800)
  assert.equal((await engine.decide(URL_ASKED)).json.verdict, 'warn', 'the session ends an hour after the first one')
})

test('the session belongs to the client of the verdict, even if another one redeems it', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(URL_ASKED)
  assert.equal((await engine.acknowledge(query, undefined, { 'x-forwarded-for': '203.0.113.9' })).status, 302)
  assert.equal((await engine.decide(URL_ASKED)).json.verdict, 'allow')
  assert.equal((await engine.decide(URL_ASKED, '203.0.113.9')).json.verdict, 'warn')
  assert.equal(engine.logged().find(({ msg }) => msg === 'acknowledgement')?.forwardedFor, '203.0.113.9')
})

test('an IPv4-mapped address is its IPv4 client; another address of a /64 is another client', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  await engine.acknowledge(await engine.verdict(URL_ASKED, `::ffff:${CLIENT}`))
  assert.equal((await engine.decide(URL_ASKED, CLIENT)).json.verdict, 'allow')
  await engine.acknowledge(await engine.verdict(URL_ASKED, '2001:DB8::0:1'))
  assert.equal((await engine.decide(URL_ASKED, '2001:db8:0:0::1')).json.verdict, 'allow')
  assert.equal((await engine.decide(URL_ASKED, '2001:db8::2')).json.verdict, 'warn')
})

test('an acknowledgement expires when the replay window and a quarter of an hour have passed, a repeated one too', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(URL_ASKED)
  const acknowledged = await engine.verdict('https://social.example/')
  const opened = await engine.acknowledge(acknowledged)
  engine.pass(300 + 15 * 60)
  const repeated = await engine.acknowledge(acknowledged)
  assert.deepEqual([repeated.status, repeated.headers.location], [302, opened.headers.location])
  engine.pass(1)
  for (const late of [query, acknowledged]) {
    const expired = await engine.acknowledge(late)
    assert.equal(expired.status, 410)
    assert.equal(expired.headers['content-type'], 'application/problem+json')
    assert.equal(expired.json.type, EXPIRED_PROBLEM)
  }
})

test('payloads that this engine did not issue for acknowledgement are refused', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { json } = await engine.decide(URL_ASKED)
  const reference = String(json.reference)
  const flipped = (await engine.verdict(URL_ASKED)).replace(
    /\.(.)(?=[^.]*&)/,
    (_, one) => `.${one === 'A' ? 'B' : 'A'}`,
  )
  const queries = {
    tampered: flipped,
    'no token': verdictQuery(claims(NOW, { kind: 'warn' })),
    block: verdictQuery(claims(NOW)),
    'another token': verdictQuery(claims(NOW, { kind: 'warn', jti: reference, ack_token: ACK_TOKEN })),
    'a verdict of nobody': verdictQuery(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN })),
    'another ts': (await engine.verdict(URL_ASKED)).replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
    garbage: `p=x&v=1&ts=${NOW}`,
  }
  for (const [name, query] of Object.entries(queries)) {
    const refused = await engine.acknowledge(query)
    assert.equal(refused.status, 403, name)
    assert.equal(refused.headers['content-type'], 'application/problem+json')
    assert.equal(refused.json.type, 'about:blank', name)
  }
  assert.equal((await engine.decide(URL_ASKED)).json.verdict, 'warn')
})

test('hostile queries are 400', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(URL_ASKED)
  const p = query.slice(2, query.indexOf('&'))
  const hostile = [
    '',
    `p=${p}&v=1`,
    `p=${p}&ts=${NOW}`,
    `v=1&ts=${NOW}`,
    `p=&v=1&ts=${NOW}`,
    `${query}&p=${p}`,
    `${query}&ts=${NOW}`,
    `${query}&override=1`,
    `${query}&`,
    `?${query}`,
    query.replaceAll('&', ';'),
    query.replace('p=', 'P='),
    query.replace('p=', 'p[]='),
    query.replace('v=1', 'v=2'),
    query.replace('v=1', 'v=01'),
    query.replace('ts=', 'ts=+'),
    query.replace(`ts=${NOW}`, 'ts=1.8e9'),
    Array.from({ length: 2000 }, (_, n) => `a${n}=`).join('&'),
  ]
  for (const one of hostile) {
    const refused = await engine.acknowledge(one)
    assert.equal(refused.status, 400, one.slice(0, 80))
    assert.equal(refused.headers['content-type'], 'application/problem+json')
  }
  assert.equal((await engine.acknowledge(query)).status, 302, 'the control')
})

test('each acknowledgement is one JSON log line, with the reference and without the payload', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const { json } = await engine.decide(URL_ASKED)
  const query = new URL(String(json.redirect)).search.slice(1)
  await engine.acknowledge(query, undefined, { 'x-forwarded-for': '"}\t{"level":60' })
  await engine.acknowledge(`${query}&x`)
  const lines = engine.logged()
  assert.equal(lines.length, 3)
  const { reference } = json
  const accepted = { reference, rule: 'news', client: CLIENT, outcome: 'accepted', repeated: false }
  assert.deepEqual(lines[1], { level: 30, event: 'acknowledgement', ...accepted, msg: 'acknowledgement' })
  assert.deepEqual(lines[2], { level: 30, event: 'acknowledgement', outcome: 'malformed', msg: 'acknowledgement' })
  assert.ok(!engine.logText().includes(query.slice(2, 40)))
})
