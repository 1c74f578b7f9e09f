import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CODE_REJECTED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../../src/contract/acknowledgement.ts'
import { rule } from '../../support/rules.ts'
import { policy, type RunningEngine, startEngine } from '../running-engine.ts'

const RULES = `
  ${rule('video', 'warn', 'match = ["video.example"]', 'override = { type = "pin", code = "274913" }')}
  ${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "0036" }')}
  ${rule('archive', 'warn', 'match = ["archive.example"]', 'override = { type = "passphrase", code = "Grüße aus Köln 🔑 " }')}
  ${rule('vault', 'warn', 'match = ["vault.example"]', 'override = { type = "pin", code = "519074", attempts = 2, lockout_seconds = 30 }')}
  ${rule('open', 'warn', 'match = ["open.example"]')}
`
const VIDEO = 'https://video.example/watch?v=1'

/** Sends these wrong codes; returns the attempts left after each. */
async function guess(engine: RunningEngine, query: string, codes: readonly string[]): Promise<unknown[]> {
  const left = []
  for (const code of codes) {
    const { status, json } = await engine.acknowledge(query, code)
    left.push(status === 403 ? json.attempts_remaining : status)
  }
  return left
}

test('the right code is accepted', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const accepted = await engine.acknowledge(await engine.verdict(VIDEO), '274913')
  assert.equal(accepted.status, 302)
  assert.equal(accepted.headers.location, VIDEO)
  assert.equal((await engine.decide(VIDEO)).json.verdict, 'allow')
  const lab = 'https://lab.example/'
  assert.equal((await engine.acknowledge(await engine.verdict(lab), '36')).status, 403)
  assert.equal((await engine.acknowledge(await engine.verdict(lab), '0036')).status, 302)
})

test('a wrong code is counted and changes nothing else', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const rejected = await engine.acknowledge(await engine.verdict(VIDEO), '000000')
  assert.equal(rejected.status, 403)
  assert.equal(rejected.headers['content-type'], 'application/problem+json')
  assert.equal(rejected.json.type, CODE_REJECTED_PROBLEM)
  assert.equal(rejected.json.attempts_remaining, 4)
  assert.equal((await engine.decide(VIDEO)).json.verdict, 'warn')
  assert.ok(!engine.logText().includes('000000'))
})

test('five wrong codes lock out for 15 minutes, also for the right code', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(VIDEO)
  assert.deepEqual(await guess(engine, query, ['1111', '2222', '3333', '4444', '5555']), [4, 3, 2, 1, 429])
  engine.pass(0.5)
  const locked = await engine.acknowledge(query, '274913')
  assert.equal(locked.status, 429)
  assert.equal(locked.headers['retry-after'], '900')
  assert.equal(locked.headers['content-type'], 'application/problem+json')
  assert.equal(locked.json.type, LOCKED_OUT_PROBLEM)
  assert.equal((await engine.decide(VIDEO)).json.verdict, 'warn')
  engine.pass(899)
  const fresh = await engine.verdict(VIDEO)
  assert.equal((await engine.acknowledge(fresh, '274913')).headers['retry-after'], '1')
  engine.pass(0.5)
  assert.deepEqual(await guess(engine, fresh, ['1111']), [4], 'counted from the beginning')
  assert.equal((await engine.acknowledge(fresh, '274913')).status, 302)
})

test('a rule can have its own attempts and lockout duration', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict('https://vault.example/')
  assert.deepEqual(await guess(engine, query, ['1111']), [1])
  assert.equal((await engine.acknowledge(query, '2222')).headers['retry-after'], '30')
  engine.pass(30)
  assert.equal((await engine.acknowledge(query, '519074')).status, 302)
})

test('a right code resets the count', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(VIDEO)
  assert.deepEqual(await guess(engine, query, ['1111', '2222', '3333', '4444']), [4, 3, 2, 1])
  assert.equal((await engine.acknowledge(query, '274913')).status, 302)
  assert.deepEqual(await guess(engine, query, ['5555']), [4])
})

test('a repeated acknowledgement needs the code again', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict(VIDEO)
  assert.equal((await engine.acknowledge(query, '274913')).status, 302)
  assert.equal((await engine.acknowledge(query)).status, 400)
  assert.equal((await engine.acknowledge(query, '1111')).status, 403)
  assert.equal((await engine.acknowledge(query, '274913')).status, 302)
  await guess(engine, query, ['1111', '2222', '3333', '4444', '5555'])
  assert.equal((await engine.acknowledge(query, '274913')).status, 429)
})

test('wrong codes are counted over all verdicts of a rule and client, whatever X-Forwarded-For, and for no other', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const acknowledge = async (code: string, client?: string) =>
    (await engine.acknowledge(await engine.verdict(VIDEO, client), code, { 'x-forwarded-for': `203.0.113.${code[0]}` }))
      .status
  for (const code of ['1', '2', '3', '4', '5']) await acknowledge(code)
  assert.equal(await acknowledge('274913'), 429)
  assert.equal(await acknowledge('274913', '198.51.100.8'), 302)
  assert.equal((await engine.acknowledge(await engine.verdict('https://lab.example/'), '0036')).status, 302)
})

test('a passphrase keeps its spaces, umlauts and emoji, composed or not', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  const query = await engine.verdict('https://archive.example/')
  assert.equal((await engine.acknowledge(query, 'Grüße aus Köln 🔑')).status, 403)
  assert.equal((await engine.acknowledge(query, 'grüße aus köln 🔑 ')).status, 403)
  assert.equal((await engine.acknowledge(query, 'Grüße aus Köln 🔑 '.normalize('NFD'))).status, 302)
  assert.equal((await engine.acknowledge(query, 'Grüße aus Köln 🔑 ')).status, 302)
})

test('unexpected, missing and malformed codes are 400 and are not counted', async (t) => {
  const engine = await startEngine(t, policy(RULES))
  assert.equal((await engine.acknowledge(await engine.verdict('https://open.example/'), '1111')).status, 400)
  const query = await engine.verdict(VIDEO)
  assert.equal((await engine.acknowledge(query)).status, 400)
  for (const header of ['', '%', '%zz', '%ff', '%C3', '9'.repeat(257), ['274913', '274913']]) {
    const refused = await engine.acknowledge(query, undefined, { 'x-override-code': header })
    assert.equal(refused.status, 400, String(header))
    assert.equal(refused.headers['content-type'], 'application/problem+json')
  }
  assert.deepEqual(await guess(engine, query, ['1111']), [4])
})

test('when no further wrong code can be counted, none is checked', async (t) => {
  const engine = await startEngine(t, policy(RULES), { capacity: { attempts: 1 } })
  await guess(engine, await engine.verdict(VIDEO), ['1111'])
  await engine.state.prune()
  const other = await engine.verdict(VIDEO, '198.51.100.8')
  const busy = await engine.acknowledge(other, '274913')
  assert.equal(busy.status, 503)
  assert.equal(busy.headers['retry-after'], '60')
  assert.deepEqual(
    await guess(engine, await engine.verdict(VIDEO), ['2222']),
    [3],
    'who is counted already is not affected',
  )
  engine.pass(900)
  await engine.state.prune()
  assert.equal((await engine.acknowledge(await engine.verdict(VIDEO, '198.51.100.8'), '274913')).status, 302)
})
