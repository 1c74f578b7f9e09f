// Seen: with each update of a list, some visitors got the page of an ICAP error instead of a warning: a decision that waits for
// the database, because it has to look up a session, went on with the policy from before, and since 2026.48.5, when verdicts got
// `opens_at`, searched lists that the reload had freed. Since sessions are looked up (2026.47.0), a session that was found also
// opened what the new policy blocks. Now the policy in force decides once the lookup has ended.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createEngine } from '../../src/engine/engine.ts'
import { createStoppedRequests } from '../../src/engine/monitoring/stopped-requests.ts'
import type { Policy } from '../../src/engine/policy/policy.ts'
import { requestFor } from '../engine/request-for.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { newKeys, openEngine } from '../engine/state/fixture.ts'
import { rule } from '../support/rules.ts'

const NEWS = 'https://news.example/'
const HOST = 'match = ["news.example"]'
const { portal, policy: NOW } = configure(
  policy(`${rule('news', 'warn', HOST, 'when = {}')}${rule('bets', 'block', 'lists = ["bets"]')}[[lists]]
    name = "bets"
    path = "bets.txt"`),
  {},
  // Of this file alone: its table is freed.
  { bets: ['bets-of-a-reload.example'] },
)
const later = (...rules: Parameters<typeof rule>) => configure(policy(rule(...rules))).policy

/** @param during what happens while a session is looked up; it returns whether the session is found */
async function startEngine(t: TestContext, during: (policies: { current: Policy }, lookup: number) => boolean) {
  const policies = { current: NOW }
  const keys = await newKeys(t)
  const state = await openEngine(t, { dialect: 'sqlite', path: ':memory:' }, { keys })
  let lookups = 0
  const slow = Object.assign(Object.create(state), { findSession: async () => during(policies, ++lookups) })
  const stopped = createStoppedRequests()
  const engine = createEngine({ portal, policies, state: slow, keys, stopped, clock: Date.now })
  return { decide: async (url = NEWS) => await engine.decide(requestFor(url)), lookups: () => lookups }
}

for (const isFound of [false, true]) {
  test(`control: without a reload, a session that is ${isFound ? 'found opens' : 'not found opens nothing'}`, async (t) => {
    const { decide, lookups } = await startEngine(t, () => isFound)
    const decision = await decide()
    assert.deepEqual([decision.verdict, lookups()], [isFound ? 'allow' : 'warn', 1])
  })
}

test('a session of before opens nothing that the new policy stops', async (t) => {
  const { decide } = await startEngine(t, (policies) => {
    policies.current = later('news', 'block', HOST)
    return true
  })
  assert.equal((await decide()).verdict, 'block')
})

test('a rule of the new policy has its own sessions', async (t) => {
  const { decide, lookups } = await startEngine(t, (policies, lookup) => {
    policies.current = later('press', 'aup', HOST)
    return lookup === 1
  })
  assert.deepEqual([(await decide()).verdict, lookups()], ['aup', 2])
})

test('a path that is ambiguous for the new policy is refused', async (t) => {
  const { decide } = await startEngine(t, (policies) => {
    policies.current = later('shorts', 'block', 'match = ["news.example/shorts"]')
    return true
  })
  assert.equal((await decide(`${NEWS}a/../shorts`)).verdict, 'refuse')
})

test('one reload after the other ends with a verdict', async (t) => {
  const { decide, lookups } = await startEngine(t, (policies, lookup) => {
    policies.current = later(`news-${lookup}`, 'warn', HOST)
    return false
  })
  assert.deepEqual([(await decide()).verdict, lookups()], ['warn', 3])
})

// Last: it frees the lists.
test('lists that were freed meanwhile are not searched', async (t) => {
  const { decide } = await startEngine(t, (policies) => {
    policies.current = later('news', 'warn', HOST)
    for (const { table } of NOW.lists) table.free()
    return false
  })
  assert.equal((await decide()).verdict, 'warn')
})
