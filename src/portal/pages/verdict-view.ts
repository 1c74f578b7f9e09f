// A verdict page's input, in two parts: what it may branch on, and what it may only print. Pages are rendered once per
// variant and then filled with a visitor's texts, so a page must contain nothing else that differs between visitors.
import type { Locale } from '../../config/locales.ts'
import type { VerdictQuery } from '../../contract/query.ts'
import type { OverrideCode, Verdict, VerdictKind } from '../../contract/verdict.ts'
import type { Placeholders, TextKinds } from '../html/template.ts'
import { formatTime } from '../i18n/format.ts'
import type { Visit } from './frame.ts'

/** Everything that a page may branch on, as plain data: its JSON is the key of the page cache. */
export interface VerdictVariant {
  readonly kind: VerdictKind
  readonly locale: Locale
  readonly year: number
  readonly hasCertificatePage: boolean
  /** Whether the visitor can acknowledge. */
  readonly isAcknowledgeable: boolean
  /** The code that the way on requires. */
  readonly code: CodeField | undefined
  readonly hasReason: boolean
  readonly hasCategory: boolean
  readonly isShortened: boolean
}

export type CodeField = ({ readonly type: 'pin'; readonly length: number } | { readonly type: 'passphrase' }) & {
  readonly hasPrompt: boolean
}

/** `plain`: the checks of payload and query exclude special characters. */
export const VERDICT_TEXTS = {
  scheme: 'plain',
  host: 'any',
  /** Path, query and fragment. */
  rest: 'any',
  /** The destination as an address. */
  href: 'any',
  rule: 'any',
  reason: 'any',
  category: 'any',
  reference: 'plain',
  prompt: 'any',
  p: 'plain',
  ts: 'plain',
  /** When the verdict was issued, for machines. */
  timestamp: 'plain',
  /** When the verdict was issued, in the page's language. */
  time: 'any',
} as const satisfies TextKinds<string>

export type VerdictTextName = keyof typeof VERDICT_TEXTS

/** The input of a page function. */
export interface VerdictView {
  readonly variant: VerdictVariant
  readonly text: Placeholders<VerdictTextName>
}

export function variantOf({ locale, year, hasCertificatePage }: Visit, verdict: Verdict): VerdictVariant {
  return {
    kind: verdict.kind,
    locale,
    year,
    hasCertificatePage,
    isAcknowledgeable: verdict.ackToken !== undefined,
    code: verdict.override && codeFieldOf(verdict.override),
    hasReason: verdict.ruleDescription !== '',
    hasCategory: verdict.category !== undefined,
    isShortened: verdict.shortened,
  }
}

function codeFieldOf(override: OverrideCode): CodeField {
  // An empty prompt selects the built-in label.
  const hasPrompt = Boolean(override.prompt)
  return override.type === 'pin'
    ? { type: 'pin', length: override.length, hasPrompt }
    : { type: 'passphrase', hasPrompt }
}

export function verdictTexts(
  verdict: Verdict,
  { p, ts }: VerdictQuery,
  locale: Locale,
): Readonly<Record<VerdictTextName, string>> {
  const { destination } = verdict
  const time = formatTime(verdict.issuedAt, locale)
  return {
    scheme: destination.scheme,
    host: destination.host,
    rest: destination.rest,
    href: destination.href,
    rule: verdict.ruleName,
    reason: verdict.ruleDescription,
    category: verdict.category ?? '',
    reference: verdict.reference,
    prompt: verdict.override?.prompt ?? '',
    p,
    ts: String(ts),
    timestamp: time.iso,
    time: time.text,
  }
}
