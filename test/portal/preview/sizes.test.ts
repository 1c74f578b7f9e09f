// A page is one response that fits the first round trip: at most 14 KB, uncompressed, in every language. The certificate
// page may have 24 KB, because visitors stay on it. Without a logo, whose size the operator decides.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LOCALES } from '../../../src/settings/sections/locales.ts'
import { startPreview } from '../../support/preview.ts'

const MOST_BYTES = 14 * 1024
const MOST_BYTES_OF_CERTIFICATE_PAGE = 24 * 1024
/** Its values exceed the 600 characters of payload for which sizes are specified. */
const LONGER_PAYLOAD = new Set(['blocked-hostile'])

const preview = await startPreview({ GATEWAY_CAPTIVE_BRAND_LOGO: '' })
after(() => preview.close())

for (const { name, title, target } of preview.states.filter(({ action }) => action === undefined)) {
  const most = name.startsWith('certificate') ? MOST_BYTES_OF_CERTIFICATE_PAGE : MOST_BYTES
  test(`${title}: is small enough`, async (t) => {
    for (const locale of LOCALES) {
      const response = await fetch(preview.address + target, {
        headers: { 'accept-language': locale, connection: 'close' },
      })
      assert.equal(response.headers.get('content-language'), locale)
      const { byteLength } = await response.arrayBuffer()
      t.diagnostic(`${name} ${locale}: ${byteLength}`)
      assert.ok(byteLength <= most || LONGER_PAYLOAD.has(name), `${locale}: ${byteLength} bytes`)
    }
  })
}
