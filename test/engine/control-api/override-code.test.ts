// Codes over HTTP: what is accepted, counted and refused. test/engine/state/attempts.test.ts has the counting of many engines.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CODE_REJECTED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../../src/contract/acknowledgement.ts'
import { rule } from '../../support/rules.ts'
import { policy, startEngine } from '../running-engine.ts'

const RULES = `
  ${rule('video', 'warn', 'match = ["video.example"]', 'override = { type = "pin", code = "274913" }')}
  ${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "0036" }')}
  ${rule('archive', 'warn', 'match = ["archive.example"]', 'override = { type = "passphrase", code = "Grüße aus Köln 🔑 " }')}
  ${rule('vault', 'warn', 'match = ["vault.example"]', 'override = { type = "pin", code = "519074", attempts = 2, lockout_seconds = 30 }')}
  ${rule('open', 'warn')}
`
const VIDEO = 'https://video.example/watch?v=1'
const PROBLEM = 'application/problem+json'
const engine = await startEngine({ after }, policy(RULES))

/** Sends these wrong codes; returns the attempts left after each. */
async function guess(query: string, codes: readonly string[], { acknowledge } = engine): Promise<unknown[]> {
  const left = []
  for (const code of codes) {
    const { status, json } = await acknowledge(query, code)
    left.push(status === 403 ? json.attempts_remaining : status)
  }
  return left
}

test('a wrong code is counted and changes nothing else; the right one is accepted', async () => {
  const client = '203.0.113.1'
  const query = await engine.verdict(VIDEO, client)
  const rejected = await engine.acknowledge(query, '000000')
  assert.deepEqual([rejected.status, rejected.headers['content-type']], [403, PROBLEM])
  assert.deepEqual([rejected.json.type, rejected.json.attempts_remaining], [CODE_REJECTED_PROBLEM, 4])
  assert.equal((await engine.decide(VIDEO, client)).json.verdict, 'warn')
  assert.ok(!engine.logText().includes('000000'))
  const accepted = await engine.acknowledge(query, '274913')
  assert.deepEqual([accepted.status, accepted.headers.location], [302, VIDEO])
  assert.equal((await engine.decide(VIDEO, client)).json.verdict, 'allow')
  const lab = await engine.verdict('https://lab.example/', client)
  assert.equal((await engine.acknowledge(lab, '36')).status, 403)
  assert.equal((await engine.acknowledge(lab, '0036')).status, 302)
})

test('five wrong codes lock out for 15 minutes, also for the right code', async () => {
  const client = '203.0.113.2'
  const query = await engine.verdict(VIDEO, client)
  assert.deepEqual(await guess(query, ['1111', '2222', '3333', '4444', '5555']), [4, 3, 2, 1, 429])
  engine.pass(0.5)
  const locked = await engine.acknowledge(query, '274913')
  assert.deepEqual([locked.status, locked.headers['retry-after'], locked.json.type], [429, '900', LOCKED_OUT_PROBLEM])
  assert.equal(locked.headers['content-type'], PROBLEM)
  assert.equal((await engine.decide(VIDEO, client)).json.verdict, 'warn')
  engine.pass(899)
  const fresh = await engine.verdict(VIDEO, client)
  assert.equal((await engine.acknowledge(fresh, '274913')).headers['retry-after'], '1')
  engine.pass(0.5)
  assert.deepEqual(await guess(fresh, ['1111']), [4], 'counted from the beginning')
  assert.equal((await engine.acknowledge(fresh, '274913')).status, 302)
})

test('a rule can have its own attempts and lockout duration', async () => {
  const query = await engine.verdict('https://vault.example/', '203.0.113.3')
  assert.deepEqual(await guess(query, ['1111']), [1])
  assert.equal((await engine.acknowledge(query, '2222')).headers['retry-after'], '30')
  engine.pass(30)
  assert.equal((await engine.acknowledge(query, '519074')).status, 302)
})

test('a right code resets the count; a repeated acknowledgement needs it again', async () => {
  const query = await engine.verdict(VIDEO, '203.0.113.4')
  assert.deepEqual(await guess(query, ['1111', '2222', '3333', '4444']), [4, 3, 2, 1])
  assert.equal((await engine.acknowledge(query, '274913')).status, 302)
  assert.equal((await engine.acknowledge(query)).status, 400)
  assert.deepEqual(await guess(query, ['5555', '6666', '7777', '8888', '9999']), [4, 3, 2, 1, 429])
  assert.equal((await engine.acknowledge(query, '274913')).status, 429)
})

test('wrong codes are counted over all verdicts of a rule and client, whatever X-Forwarded-For, and for no other', async () => {
  const acknowledge = async (code: string, client = '2001:db8::1') => {
    const forwarded = { 'x-forwarded-for': `203.0.113.${code[0]}` }
    return (await engine.acknowledge(await engine.verdict(VIDEO, client), code, forwarded)).status
  }
  for (const code of ['1', '2', '3', '4', '5']) await acknowledge(code)
  assert.equal(await acknowledge('274913'), 429)
  assert.equal(await acknowledge('274913', '2001:db8::2'), 429, 'of the same /64')
  assert.equal(await acknowledge('274913', '2001:db8:0:1::1'), 302)
  const lab = await engine.verdict('https://lab.example/', '2001:db8::1')
  assert.equal((await engine.acknowledge(lab, '0036')).status, 302)
})

test('a passphrase keeps its spaces, umlauts and emoji, composed or not', async () => {
  const query = await engine.verdict('https://archive.example/', '203.0.113.5')
  const code = 'Grüße aus Köln 🔑 '
  for (const [one, status] of [
    [code.trim(), 403],
    [code.toLowerCase(), 403],
    [code.normalize('NFD'), 302],
    [code, 302],
  ] as const) {
    assert.equal((await engine.acknowledge(query, one)).status, status, one)
  }
})

test('unexpected, missing and malformed codes are 400 and are not counted', async () => {
  const client = '203.0.113.6'
  assert.equal((await engine.acknowledge(await engine.verdict('https://open.example/', client), '1111')).status, 400)
  const query = await engine.verdict(VIDEO, client)
  assert.equal((await engine.acknowledge(query)).status, 400)
  for (const header of ['', '%', '%zz', '%ff', '%C3', '9'.repeat(257), ['274913', '274913']]) {
    const { status, headers } = await engine.acknowledge(query, undefined, { 'x-override-code': header })
    assert.deepEqual([status, headers['content-type']], [400, PROBLEM], String(header))
  }
  assert.deepEqual(await guess(query, ['1111']), [4])
})

test('when no further wrong code can be counted, none is checked', async (t) => {
  const engine = await startEngine(t, policy(RULES), { capacity: { attempts: 1 } })
  await guess(await engine.verdict(VIDEO), ['1111'], engine)
  await engine.state.prune()
  const other = '198.51.100.8'
  const busy = await engine.acknowledge(await engine.verdict(VIDEO, other), '274913')
  assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '60'])
  assert.deepEqual(await guess(await engine.verdict(VIDEO), ['2222'], engine), [3], 'who is counted already')
  engine.pass(900)
  await engine.state.prune()
  assert.equal((await engine.acknowledge(await engine.verdict(VIDEO, other), '274913')).status, 302)
})
