// Every payload vector over HTTP, with its expected status.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Vector, vectors } from '../../support/payloads.ts'
import { startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'

const [first, second] = vectors.secrets.map(({ secret }) => secret) as [string, string]
const rotating = await startPortal({ after }, { env: { GATEWAY_CAPTIVE_SHARED_SECRET: `${first} ${second}` } })
const single = await startPortal({ after }, { env: { GATEWAY_CAPTIVE_SHARED_SECRET: first } })

const targetOf = ({ path, p, v, ts }: Vector) => `${path}?p=${p}&v=${v}&ts=${ts}`

// What each valid one has: test/contract/verdict-url.test.ts.
describe('valid ones', () => {
  test('are shown', async () => {
    for (const vector of vectors.good)
      assert.equal((await exchange(rotating, targetOf(vector))).status, 200, vector.name)
  })
  test('of the second secret are shown only during a rotation, in either order', async (t) => {
    const vector = vectors.good.find(({ secret }) => secret === second)
    assert.ok(vector)
    const turned = await startPortal(t, { env: { GATEWAY_CAPTIVE_SHARED_SECRET: `${second}\n${first}` } })
    assert.equal((await exchange(turned, targetOf(vector))).status, 200)
    assert.equal((await exchange(single, targetOf(vector))).status, 403)
  })
})

describe('invalid ones are refused', () => {
  const invalidPages = new Set<string>()
  for (const vector of vectors.bad) {
    test(vector.name, async () => {
      const { status, body } = await exchange(single, targetOf(vector))
      assert.equal(status, vector.status)
      if (status === 403) invalidPages.add(body)
    })
  }
  test('always with the same page', () => assert.equal(invalidPages.size, 1))

  test('with the reason in the log', async () => {
    const isRefused = vectors.bad.filter(({ status }) => status === 403).length
    const reasons = single.logged().flatMap(({ refusal }) => (refusal === undefined ? [] : [String(refusal)]))
    assert.ok(reasons.length >= isRefused)
    for (const reason of ['form', 'header', 'key', 'tag', 'not JSON', 'ts mismatch', 'kind mismatch', 'claim jti']) {
      assert.ok(reasons.includes(reason), reason)
    }
  })
})
