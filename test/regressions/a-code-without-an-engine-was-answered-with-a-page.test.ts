// With an empty ENGINE_INTERNAL_URL, a submitted code got 404 with a page, but the script expects a problem document.
// So the visitor read that the gateway had not responded, and tried again; since the first version.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { acceptanceOf, acknowledgement, assertOwnResponse, PASSPHRASE } from '../portal/acknowledgement/relay.ts'
import { exchange } from '../portal/exchange.ts'
import { ENGINES } from '../support/browser.ts'
import { catalogue, DEFAULT_LOCALES } from '../support/catalogue.ts'
import { startPortal } from '../support/portal.ts'

test('a code gets a problem document in the visitor’s language, whatever its payload', async (t) => {
  const portal = await startPortal(t)
  for (const locale of DEFAULT_LOCALES) {
    for (const changes of [PASSPHRASE, {}, { kind: 'block', ack_token: undefined as never } as const]) {
      const { target, reference } = acknowledgement(changes)
      const headers = { 'X-Override-Code': 'zq-code', 'Accept-Language': locale }
      const answered = await exchange(portal, target, headers)
      assert.equal(answered.status, 404)
      assertOwnResponse(answered, 'problem')
      const { title, text } = catalogue[locale].outcome.acknowledgementOff
      assert.deepEqual(JSON.parse(answered.body), {
        type: 'about:blank',
        title,
        status: 404,
        detail: text,
      })
      assert.equal(acceptanceOf(portal, reference), undefined)
    }
  }
})

test('a link gets the page', async (t) => {
  const portal = await startPortal(t)
  const answered = await exchange(portal, acknowledgement().target)
  assert.equal(answered.status, 404)
  assertOwnResponse(answered, 'page')
  assert.match(answered.body, /isn’t set up to pass on your choice/)
})

for (const engine of ENGINES) {
  describe(`in ${engine.name}`, { skip: engine.skip }, async () => {
    const browser = await engine.start()
    after(browser.close)

    test('the page says that acknowledgements are disabled', async (t) => {
      const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://127.0.0.1' } })
      const { page, allow } = await browser.openPage(t)
      allow(/Failed to load resource: the server responded with a status of 404/)
      await page.goto(portal.address + acknowledgement({ kind: 'warn', ...PASSPHRASE }).page)
      await page.locator('#passphrase').fill('a code')
      await page.locator('#enter').press('Enter')
      await page.locator('#message', { hasText: 'This portal isn’t set up to pass on your choice.' }).waitFor()
    })
  })
}
