// Rendering failed twice: a page threw, and then the page of the error, which shares the frame, the language and the session
// with it. The second error had no handler, so it ended the process, and with it every visitor's request. Since the first
// version. Now that visitor gets an empty 500.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { catalogue } from '../../src/portal/page/i18n/catalogue.ts'
import { acknowledgement, assertOwnResponse } from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { startPortal } from '../support/portal.ts'

const ENGINE = { ENGINE_INTERNAL_URL: 'http://127.0.0.1:9' }

/** A portal whose policy cannot be rendered. */
function startFaulty(t: TestContext) {
  return startPortal(t, {
    env: ENGINE,
    documents: (builtIn) => ({
      ...builtIn,
      get en(): never {
        throw new Error('a fault in the policy')
      },
    }),
  })
}

function breakErrorPage(t: TestContext): void {
  const { internal } = catalogue.en.outcome
  const original = Object.getOwnPropertyDescriptor(catalogue.en.outcome, 'internal') as PropertyDescriptor
  Object.defineProperty(catalogue.en.outcome, 'internal', {
    configurable: true,
    get(): typeof internal {
      throw new Error('a fault in the error page')
    },
  })
  t.after(() => Object.defineProperty(catalogue.en.outcome, 'internal', original))
}

describe('a fault in the error page', () => {
  for (const [what, target] of [
    ['of a page', () => acknowledgement().page],
    ['of an acknowledgement', () => acknowledgement().target],
  ] as const) {
    test(`${what}: an empty 500, and the portal lives`, async (t) => {
      const portal = await startFaulty(t)
      breakErrorPage(t)
      const { status, body, headers } = await exchange(portal, target())
      assert.deepEqual([status, body], [500, ''])
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal((await exchange(portal, '/healthz')).status, 200)
      assert.equal(portal.load().inFlight, 0)
      const faults = portal.logged().filter(({ level }) => level === 50)
      assert.deepEqual(
        faults.map(({ err }) => (err as { message: string }).message),
        ['a fault in the policy', 'a fault in the error page'],
      )
    })
  }
})

test('control: after a fault in a page alone, the visitor gets the error page', async (t) => {
  const portal = await startFaulty(t)
  const answered = await exchange(portal, acknowledgement().page)
  assert.equal(answered.status, 500)
  assertOwnResponse(answered, 'page')
})
