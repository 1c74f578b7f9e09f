// Accept-Language: the result is always one of the offered languages.
import assert from 'node:assert/strict'
import { negotiateLocale } from '../../../src/portal/page/i18n/negotiate.ts'
import type { Target } from '../target.ts'

const offers = [
  { default: 'en', supported: ['en', 'fr', 'de', 'it'] },
  { default: 'it', supported: ['it', 'de'] },
] as const

export const acceptLanguage: Target = {
  name: 'accept-language',
  seeds: [
    'de-CH, fr;q=0.9, en;q=0.8, *;q=0.1',
    '*',
    'de;q=0',
    'en;q=NaN,it;q=1.000',
    'x'.repeat(1000),
    'de;q=0.001 , ,',
  ],
  tokens: ['de', 'fr-CH', 'it', '*', ';q=', ';Q=0', '0.5', '1.000', ',', ' ', '\t', '-', 'zh-Hant-TW', 'i-klingon'],
  run(input) {
    const header = input.toString('latin1')
    for (const offered of offers) {
      const locale = negotiateLocale(header, offered)
      assert.ok((offered.supported as readonly string[]).includes(locale))
      assert.equal(
        negotiateLocale(
          header.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
          offered,
        ),
        locale,
      )
    }
  },
}
