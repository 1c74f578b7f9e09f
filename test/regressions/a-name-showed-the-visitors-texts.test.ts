// Seen: with a GATEWAY_ORG_NAME that contains U+FDD0, a number and U+FDD1, every page showed there the visitor's address, the
// time or the rule. The portal marks with these characters where a page gets the visitor's texts, and only policies were not
// allowed to contain them. Since pages are rendered once and filled in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadPortalConfig } from '../../src/portal/settings/load.ts'
import { ConfigProblems } from '../../src/settings/problems.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { exchange } from '../portal/exchange.ts'
import { parsePage, textOf } from '../portal/markup.ts'
import { complete } from '../settings/load.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'

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

test('control: placeholders of programs are displayed as typed, on every page', async (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: typed so
  const typed = "{0} {name} ${0} {name} ${name} $&  $1 $' $$ %s %{host} {{x}} <%= x %> &amp;"
  const env = Object.fromEntries(NAMES.map((name) => [name, typed]))
  const portal = await startPortal(t, { env: { ...env, GATEWAY_CAPTIVE_SUPPORT_URL: 'https://help.example/' } })
  const verdicts = (['block', 'warn', 'aup'] as const).flatMap((kind) =>
    [{}, { ack_token: ACK_TOKEN }].map((token) => verdictTarget(claims(NOW, { kind, ...(kind !== 'block' && token) }))),
  )
  for (const target of [...verdicts, verdictTarget(claims(NOW - 9999)), '/privacy', '/nowhere']) {
    for (const language of LOCALES) {
      const page = parsePage((await exchange(portal, target, { 'Accept-Language': language })).body)
      // The product, the operator and the support text, each at least once.
      const times = textOf(page).split(typed).length - 1
      assert.ok(times >= 3, `${target} in ${language} has it ${times} times`)
      assert.ok(!textOf(page).replaceAll(typed, '').includes('{'), target)
    }
  }
})

test('control: other unusual characters are not', async () => {
  const { config } = await loadPortalConfig({ ...complete, GATEWAY_ORG_NAME: 'a \ufdcf\ufdf0 \ue000 💡' })
  assert.equal(config.brand.organisation, 'a \ufdcf\ufdf0 \ue000 💡')
})
