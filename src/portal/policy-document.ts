// The policy texts that `/aup` shows, by language, each with the digest that the ledger keeps.
import { createHash } from 'node:crypto'
import type { Locale } from '../config/locales.ts'
import type { Html } from './html/html.ts'
import { catalogue } from './i18n/catalogue.ts'
import { builtInPolicy } from './pages/built-in-policy.ts'

interface PolicyDocument {
  readonly locale: Locale
  readonly mediaType: 'text/plain'
  readonly markup: Html
  /** What an auditor reads: the same words without markup. */
  readonly text: string
  /** SHA-256 of the text's UTF-8, lower-case hexadecimal. */
  readonly sha256: string
}

export type PolicyDocuments = Readonly<Record<Locale, PolicyDocument>>

export function builtInDocuments(): PolicyDocuments {
  const documents = Object.entries(catalogue).map(([locale, { aup }]) => {
    const { introduction, rules, conclusion } = aup.policy
    const text = `${[introduction, ...rules.map((rule) => `- ${rule}`), conclusion].join('\n')}\n`
    const sha256 = createHash('sha256').update(text).digest('hex')
    return [
      locale,
      { locale: locale as Locale, mediaType: 'text/plain' as const, markup: builtInPolicy(aup), text, sha256 },
    ]
  })
  return Object.fromEntries(documents)
}
