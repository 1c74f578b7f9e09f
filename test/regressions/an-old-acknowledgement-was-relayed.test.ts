// The portal had no time window for acknowledgements: one with a `ts` of last year, or of tomorrow, was recorded as an
// attempt and relayed, since the first version. Only the engine decided how long it was valid.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
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
const { portal, engine } = await startRelay(
  { after },
  respondWith(rawResponse('302 Found', ['Location: https://news.example/'])),
)

const CASES = [
  { name: 'a day in the future', now: NOW - DAY, status: 403 },
  { name: '61 s in the future', now: NOW - 61, status: 403 },
  { name: 'more than 60 s in the future by a millisecond', now: NOW - 60.001, status: 403 },
  { name: '60 s in the future', now: NOW - 60, status: 302 },
  { name: 'just issued', now: NOW, status: 302 },
  { name: 'past the replay window', now: NOW + 301, status: 302 },
  { name: 'as old as the window and 15 minutes', now: NOW + 1200.999, status: 302 },
  { name: 'a second older', now: NOW + 1201, status: 410 },
  { name: 'a year old', now: NOW + 365 * DAY, status: 410 },
]

for (const kind of ['warn', 'aup'] as const) {
  describe(kind, () => {
    for (const { name, now, status } of CASES) {
      test(`${name}: ${status}`, async () => {
        const rows = acceptancesOf(portal)
        const asked = engine.connections.length
        portal.setTime(now)
        const plain = acknowledgement({ kind })
        const page = await exchange(portal, plain.target)
        const coded = acknowledgement({ kind, ...PASSPHRASE })
        const problem = await exchange(portal, coded.target, { 'X-Override-Code': 'secret' })
        assert.deepEqual([page.status, problem.status], [status, status])
        const isRelayed = status === 302
        assert.equal(engine.connections.length - asked, isRelayed ? 2 : 0)
        assert.equal(acceptancesOf(portal) - rows, isRelayed && kind === 'aup' ? 2 : 0)
        if (isRelayed) return
        assertOwnResponse(page, 'page')
        assert.match(page.body, status === 410 ? /This page has timed out/ : /This link has expired/)
        assert.match(page.body, /class="primary"/, 'with the link back')
        assertOwnResponse(problem, 'problem')
        assert.equal((await requestLine(portal, plain.reference)).refusal, 'expired')
      })
    }
  })
}

test('a shorter replay window shortens both limits', async (t) => {
  const strict = await startRelay(t, respondWith(rawResponse('302 Found', ['Location: https://news.example/'])), {
    env: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '30' },
  })
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
