// The portal had no time window for acknowledgements: one with a `ts` of last year, or of tomorrow, was recorded as an
// attempt and relayed, since the first version. Only the engine decided how long it was valid.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  acceptancesOf,
  acknowledgement,
  assertOwnResponse,
  PASSPHRASE,
  requestLine,
  startRelay,
} from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { rawResponse, respondWith } from '../support/hostile-engine.ts'
import { NOW } from '../support/portal.ts'

const DAY = 86_400
const YES = respondWith(rawResponse('302 Found', ['Location: https://news.example/']))
const { portal, engine } = await startRelay({ after }, YES)

for (const [name, now, status] of [
  ['a day in the future', NOW - DAY, 403],
  ['more than 60 s in the future by a millisecond', NOW - 60.001, 403],
  ['60 s in the future', NOW - 60, 302],
  ['just issued', NOW, 302],
  ['past the replay window', NOW + 301, 302],
  ['as old as the window and 15 minutes', NOW + 1200.999, 302],
  ['a second older', NOW + 1201, 410],
  ['a year old', NOW + 365 * DAY, 410],
] as const) {
  test(`${name}: ${status}`, async () => {
    portal.setTime(now)
    const isRelayed = status === 302
    for (const kind of ['warn', 'aup'] as const) {
      const [rows, asked] = [acceptancesOf(portal), engine.connections.length]
      const plain = acknowledgement({ kind })
      const page = await exchange(portal, plain.target)
      const coded = acknowledgement({ kind, ...PASSPHRASE })
      const problem = await exchange(portal, coded.target, { 'X-Override-Code': 'secret' })
      assert.deepEqual([page.status, problem.status], [status, status])
      assert.equal(engine.connections.length - asked, isRelayed ? 2 : 0)
      assert.equal(acceptancesOf(portal) - rows, isRelayed && kind === 'aup' ? 2 : 0)
      if (isRelayed) continue
      assertOwnResponse(page, 'page')
      assert.match(page.body, status === 410 ? /This page has timed out/ : /This link has expired/)
      assert.match(page.body, /class="primary"/, 'with the link back')
      assertOwnResponse(problem, 'problem')
      assert.equal((await requestLine(portal, plain.reference)).refusal, 'expired')
    }
  })
}

test('a shorter replay window shortens both limits', async (t) => {
  const strict = await startRelay(t, YES, { env: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '30' } })
  for (const [now, status] of [
    [NOW - 31, 403],
    [NOW - 30, 302],
    [NOW + 930, 302],
    [NOW + 931, 410],
  ] as const) {
    strict.portal.setTime(now)
    assert.equal((await exchange(strict.portal, acknowledgement().target)).status, status, `${now - NOW}`)
  }
})
