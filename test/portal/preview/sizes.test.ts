// A page is whole in one response that fits the first round trip: at most 14 KB, uncompressed, in every language. The
// certificate page, which is read and not passed through, may have 24 KB.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { loadConfig } from '../../../src/config/config.ts'
import { LOCALES } from '../../../src/config/locales.ts'
import { pageStates } from '../../../src/portal/preview/page-states.ts'
import { createPreviewApp } from '../../../src/portal/preview/preview-app.ts'
import { SECRET } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'

const MOST_BYTES = 14 * 1024
const MOST_BYTES_OF_CERTIFICATE_PAGE = 24 * 1024
/** Its values alone are longer than a page of 600 characters of payload may be. */
const LONGER_PAYLOAD = new Set(['blocked-hostile'])

const { config } = loadConfig({
  GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
  GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
  GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
  GATEWAY_ORG_NAME: 'Kantonsschule Musterhausen',
  GATEWAY_CAPTIVE_SUPPORT_URL: 'tel:+41441234567',
})
const app = await createPreviewApp({ config, clock: () => NOW * 1000, log: pino({ level: 'silent' }) })
const address = await app.listen({ host: '127.0.0.1', port: 0 })
after(() => app.close())

for (const { name, title, target } of pageStates(config.payload.keyring.sealing, NOW)) {
  const most = name.startsWith('certificate') ? MOST_BYTES_OF_CERTIFICATE_PAGE : MOST_BYTES
  test(`${title}: answers, and is small enough`, async (t) => {
    for (const locale of LOCALES) {
      const answer = await fetch(address + target, { headers: { 'accept-language': locale, connection: 'close' } })
      assert.equal(answer.headers.get('content-language'), locale)
      const { byteLength } = await answer.arrayBuffer()
      t.diagnostic(`${name} ${locale}: ${byteLength}`)
      assert.ok(byteLength <= most || LONGER_PAYLOAD.has(name), `${locale}: ${byteLength} bytes`)
    }
  })
}
