// The policies that `/aup` shows, by the page's language, each with the text and digest that the ledger keeps.
import { createHash } from 'node:crypto'
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import { LOCALES, type Locale } from '../../config/locales.ts'
import type { Html } from '../html/html.ts'
import { catalogue } from '../i18n/catalogue.ts'
import { builtInPolicy } from './built-in-policy.ts'
import { operatorPolicy } from './operator-policy.ts'

interface PolicyDocument {
  /** The language of the text; the page may be in another one. */
  readonly locale: Locale
  readonly mediaType: 'text/plain' | 'text/markdown'
  /** The page's text, with its heading. */
  readonly markup: Html
  /** Whether it may be more than a window can show beside the way on. */
  readonly isLong: boolean
  /** What an auditor reads. */
  readonly text: string
  /** SHA-256 of the text's UTF-8, lower-case hexadecimal. */
  readonly sha256: string
}

/** Characters; a telephone shows about half of them at once. */
const LONG = 1000

export type PolicyDocuments = Readonly<Record<Locale, PolicyDocument>>

/** @param texts the operator's; without them, the built-in ones */
export function policyDocuments(texts?: PolicyTexts): PolicyDocuments {
  const documents = LOCALES.map((locale) => [
    locale,
    texts === undefined ? builtInDocument(locale) : operatorDocument(texts, locale),
  ])
  return Object.fromEntries(documents)
}

/** Recorded as the same words without markup. */
function builtInDocument(locale: Locale): PolicyDocument {
  const { aup } = catalogue[locale]
  const { introduction, rules, conclusion } = aup.policy
  const text = `${[introduction, ...rules.map((rule) => `- ${rule}`), conclusion].join('\n')}\n`
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { locale, mediaType: 'text/plain', markup: builtInPolicy(aup), isLong: false, text, sha256 }
}

function operatorDocument(texts: PolicyTexts, page: Locale): PolicyDocument {
  const text = texts[page]
  return {
    locale: text.locale,
    mediaType: 'text/markdown',
    markup: operatorPolicy(text, page, catalogue[page].aup),
    isLong: text.source.length > LONG,
    text: text.source,
    sha256: text.sha256,
  }
}
