// A rule's description that exists in English only was shown on a German page without a `lang`: screen readers read it as
// German, and browsers did not offer to translate it. Only the operator's policy was marked. Since the first version.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { exchange } from '../portal/exchange.ts'
import { elements, only, parsePage } from '../portal/markup.ts'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, type RunningPortal, startPortal } from '../support/portal.ts'

const english = await startPortal({ after })
const german = await startPortal({ after }, { env: { GATEWAY_CAPTIVE_LOCALE: 'de' } })

/** The `lang` of the reason on the page of this language. */
async function langOf(portal: RunningPortal, language: string, descriptions?: Record<string, string>) {
  const verdict = claims(NOW, {
    rule_description: 'A reason.',
    ...(descriptions && { rule_descriptions: descriptions }),
  })
  const { body } = await exchange(portal, verdictTarget(verdict), { 'Accept-Language': language })
  const [reason] = elements(only(parsePage(body), 'class', 'reason'), 'bdi')
  return reason?.attributes.lang
}

describe('a description in the language of the operator, on a page in another one', () => {
  test('is marked, with and without other languages', async () => {
    assert.equal(await langOf(english, 'fr', { de: 'Ein Grund.' }), 'en')
    assert.equal(await langOf(english, 'fr', { fr: '' }), 'en')
    assert.equal(await langOf(english, 'fr'), 'en')
    assert.equal(await langOf(german, 'en'), 'de')
  })
})

describe('control: no `lang` where the page has it, or nobody knows it', () => {
  test('on the operator’s own page', async () => {
    assert.equal(await langOf(english, 'en'), undefined)
    assert.equal(await langOf(german, 'de', { fr: 'Une raison.' }), undefined)
  })
  test('for a description in the page’s language', async () => {
    assert.equal(await langOf(english, 'de', { de: 'Ein Grund.' }), undefined)
    assert.equal(await langOf(english, 'de', { 'de-CH': 'Ein Grund.' }), undefined)
  })
  test('where the operator’s language is another description', async () => {
    assert.equal(await langOf(english, 'fr', { en: 'Another.' }), undefined)
  })
})
