// Seen: with a GATEWAY_ORG_NAME that contains U+FDD0, a number and U+FDD1, every page showed there the visitor's address, the
// time or the rule. The portal marks with these characters where a page gets the visitor's texts, and only policies were not
// allowed to contain them. Since pages are rendered once and filled in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadPortalConfig } from '../../src/aup/policy-texts.ts'
import { ConfigProblems } from '../../src/config/problems.ts'
import { complete } from '../config/load.ts'

const NAMES = ['GATEWAY_ORG_NAME', 'GATEWAY_CAPTIVE_BRAND_PRODUCT', 'GATEWAY_CAPTIVE_SUPPORT_TEXT']

for (const name of NAMES) {
  test(`${name} with such characters is rejected`, async () => {
    await assert.rejects(loadPortalConfig({ ...complete, [name]: 'a \ufdd01\ufdd1' }), (error) => {
      assert.ok(error instanceof ConfigProblems)
      assert.match(error.message, new RegExp(`${name} must be one line of at most`))
      return true
    })
  })
}

test('control: other unusual characters are not', async () => {
  const { config } = await loadPortalConfig({ ...complete, GATEWAY_ORG_NAME: 'a \ufdcf\ufdf0 \ue000 💡' })
  assert.equal(config.brand.organisation, 'a \ufdcf\ufdf0 \ue000 💡')
})
