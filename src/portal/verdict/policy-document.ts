// The policies that `/aup` shows, by the page's language, with the text and digest that the ledger stores.
import { createHash } from 'node:crypto'
import type { PolicyText } from '../../aup/policy-text.ts'
import type { PolicyTexts } from '../../aup/policy-texts.ts'
import { type Html, html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import type { Catalogues } from '../page/i18n/catalogue.ts'
import type { Messages } from '../page/i18n/en.ts'
import { operatorPolicy } from '../page/operator-text.ts'

interface PolicyDocument {
  /** The language of the text, which may differ from the page's. */
  readonly locale: Locale
  readonly mediaType: 'text/plain' | 'text/markdown'
  /** The page's text, with its heading. */
  readonly markup: Html
  /** Whether the text and the control to accept it may not fit into one window. */
  readonly isLong: boolean
  /** For auditors. */
  readonly text: string
  /** SHA-256 of the text's UTF-8, lower-case hexadecimal. */
  readonly sha256: string
}

/** With this many lines in a wide window, a text is certainly taller than the part that `policy.css` lets scroll past. */
const LONG_LINES = 30
const CHARACTERS_PER_LINE = 72

/** Of the supported languages. */
export type PolicyDocuments = Readonly<Record<Locale, PolicyDocument>>

/** @param texts the operator's; the built-in ones when omitted */
export function policyDocuments(catalogues: Catalogues, texts?: PolicyTexts): PolicyDocuments {
  const locales = Object.keys(texts ?? catalogues) as Locale[]
  const documents = locales.map((locale) => {
    const { aup } = catalogues[locale]
    return [locale, texts === undefined ? builtInDocument(locale, aup) : operatorDocument(texts[locale], locale, aup)]
  })
  return Object.fromEntries(documents)
}

/** The built-in policy; recorded as plain text. */
function builtInDocument(locale: Locale, aup: Messages['aup']): PolicyDocument {
  const { introduction, rules, conclusion } = aup.policy
  const text = `${[introduction, ...rules.map((rule) => `- ${rule}`), conclusion].join('\n')}\n`
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { locale, mediaType: 'text/plain', markup: builtInPolicy(aup), isLong: false, text, sha256 }
}

export function builtInPolicy({ policyHeading, policy }: Messages['aup']): Html {
  return html`<h2>${policyHeading}</h2><p>${policy.introduction}</p><ul>${policy.rules.map((rule) => html`<li>${rule}</li>`)}</ul><p>${policy.conclusion}</p>`
}

function operatorDocument(text: PolicyText, page: Locale, aup: Messages['aup']): PolicyDocument {
  return {
    locale: text.locale,
    mediaType: 'text/markdown',
    markup: operatorPolicy(text, page, aup),
    isLong: linesOf(text.source) > LONG_LINES,
    text: text.source,
    sha256: text.sha256,
  }
}

/** The minimum number of lines that a text has on the page. The addresses of links are not shown. */
function linesOf(source: string): number {
  // After the last closing parenthesis, every search would go to the end of the text.
  const end = source.lastIndexOf(')') + 1
  const shown = source.slice(0, end).replaceAll(/\]\([^)]*\)/g, ']') + source.slice(end)
  const lines = shown.split('\n')
  return lines.reduce((sum, line) => sum + Math.ceil(line.trim().length / CHARACTERS_PER_LINE), 0)
}
