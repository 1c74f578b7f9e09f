// A verdict page's input, in two parts: what it may branch on, and what it may only print. Pages are rendered once per
// variant and then filled with a visitor's texts, so a page must contain nothing else that differs between visitors.

import type { OverrideCode, Verdict, VerdictKind } from '../../contract/verdict.ts'
import type { VerdictQuery } from '../../contract/verdict-url.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { isLongAddress, MOST_WITHOUT_SCROLLING, shownRest } from '../page/destination-box.ts'
import type { Visit } from '../page/frame.ts'
import type { Messages } from '../page/i18n/en.ts'
import { formatDuration, formatSoon, formatTime } from '../page/i18n/format.ts'
import { type Mail, type SupportDetails, supportHref } from '../page/support.ts'
import type { Placeholders, TextKinds } from '../page/template.ts'
import type { SupportLink } from '../settings/support-link.ts'

/** Everything that a page may branch on, as plain data: its JSON is the key of the page cache. */
export interface VerdictVariant {
  readonly kind: VerdictKind
  readonly locale: Locale
  readonly year: number
  readonly hasCertificatePage: boolean
  /** Whether the visitor can acknowledge. */
  readonly isAcknowledgeable: boolean
  /** The code that is required to proceed. */
  readonly code: CodeField | undefined
  readonly hasReason: boolean
  /** Whether the reason may need to scroll. */
  readonly isLongReason: boolean
  /** The language of the reason, if it is not the page's. */
  readonly reasonLocale: Locale | undefined
  readonly hasCategory: boolean
  readonly isShortened: boolean
  /** Whether the address may need to scroll. */
  readonly isLongAddress: boolean
  /** Whether the host has a readable form. */
  readonly hasReadableHost: boolean
  /** Whether the engine sends how long an acknowledgement gives access. */
  readonly hasSession: boolean
  /** Whether the engine sends when the same request will be allowed. */
  readonly hasOpening: boolean
}

export type CodeField = ({ readonly type: 'pin'; readonly length: number } | { readonly type: 'passphrase' }) & {
  readonly hasPrompt: boolean
}

/** `plain`: the checks of payload and query exclude special characters. */
export const VERDICT_TEXTS = {
  scheme: 'plain',
  host: 'any',
  /** The same, on the page. */
  shownHost: 'host',
  readableHost: 'any',
  /** Path, query and fragment; nothing if that is a slash alone. */
  rest: 'any',
  rule: 'any',
  reason: 'any',
  category: 'any',
  reference: 'plain',
  prompt: 'any',
  p: 'plain',
  ts: 'plain',
  /** When the verdict was issued, for machines. */
  timestamp: 'plain',
  /** When the verdict was issued, in the page's language and the operator's time zone, to the minute. */
  time: 'any',
  /** How long an acknowledgement gives access. */
  session: 'any',
  /** A sentence on when the same request will be allowed. */
  opening: 'any',
  /** The operator's support link. */
  support: 'any',
  /** The support link with the mail that reports a mistake. */
  report: 'any',
} as const satisfies TextKinds<string>

export type VerdictTextName = keyof typeof VERDICT_TEXTS

/** The input of a page function. */
export interface VerdictView {
  readonly variant: VerdictVariant
  readonly text: Placeholders<VerdictTextName>
}

export function variantOf({ site, locale, year, hasCertificatePage }: Visit, verdict: Verdict): VerdictVariant {
  const reason = reasonOf(verdict, locale)
  return {
    kind: verdict.kind,
    locale,
    year,
    hasCertificatePage,
    isAcknowledgeable: verdict.ackToken !== undefined,
    code: verdict.override && codeFieldOf(verdict.override),
    hasReason: reason !== '',
    isLongReason: reason.length > MOST_WITHOUT_SCROLLING,
    reasonLocale: reason === '' ? undefined : foreignLocaleOf(reason, verdict, locale, site.defaultLocale),
    hasCategory: verdict.category !== undefined,
    isShortened: verdict.shortened,
    isLongAddress: isLongAddress(verdict.destination),
    hasReadableHost: verdict.destination.readableHost !== undefined,
    hasSession: verdict.sessionSeconds !== undefined,
    hasOpening: verdict.opensAt !== undefined,
  }
}

/** The rule's description in the page's language, if the engine sent one. */
function reasonOf({ ruleDescription, ruleDescriptions }: Verdict, locale: Locale): string {
  if (ruleDescriptions.size === 0) return ruleDescription
  const regional = [...ruleDescriptions].find(([tag]) => tag.startsWith(`${locale}-`))
  return ruleDescriptions.get(locale) || regional?.[1] || ruleDescription
}

const BIDI_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g

/** Only on the page: a text could otherwise read backwards. Log and ledger have it as the engine wrote it. */
function inReadingOrder(text: string): string {
  return text.replace(BIDI_OVERRIDES, '')
}

/** A rule's own description is in the language of the operator's texts, unless that is among the other languages. */
function foreignLocaleOf(
  reason: string,
  { ruleDescription, ruleDescriptions }: Verdict,
  page: Locale,
  operators: Locale,
): Locale | undefined {
  const isOwn = reason === ruleDescription && !ruleDescriptions.has(operators)
  return isOwn && operators !== page ? operators : undefined
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
  { site, locale, t }: Pick<Visit, 'site' | 'locale' | 't'>,
): Readonly<Record<VerdictTextName, string>> {
  const { destination, sessionSeconds } = verdict
  const time = formatTime(verdict.issuedAt, locale, site.timeZone)
  const { support, report } = supportHrefs(site.supportLink, verdict, t, time.text)
  return {
    scheme: destination.scheme,
    host: destination.host,
    shownHost: destination.host,
    readableHost: destination.readableHost ?? '',
    // After a destination that was shortened to its origin, the slash carries the ellipsis.
    rest: verdict.shortened ? destination.rest : shownRest(destination),
    rule: inReadingOrder(verdict.ruleName),
    reason: inReadingOrder(reasonOf(verdict, locale)),
    category: inReadingOrder(verdict.category ?? ''),
    reference: verdict.reference,
    prompt: inReadingOrder(verdict.override?.prompt ?? ''),
    p,
    ts: String(ts),
    timestamp: time.iso,
    time: time.toMinute,
    opening: openingText(verdict, locale, t, site.timeZone),
    session: sessionSeconds === undefined ? '' : formatDuration(Math.floor(sessionSeconds / 60), locale),
    support,
    report,
  }
}

function openingText(
  { opensAt, issuedAt }: Verdict,
  locale: Locale,
  { opensAgain }: Messages,
  timeZone: string,
): string {
  if (opensAt === undefined) return ''
  const { day, time } = formatSoon(opensAt, issuedAt, locale, timeZone)
  return opensAgain(day, time)
}

const NO_HREFS = { support: '', report: '' }

function supportHrefs(link: SupportLink | undefined, verdict: Verdict, t: Messages, time: string) {
  if (link === undefined) return NO_HREFS
  const details = {
    reference: verdict.reference,
    rule: verdict.ruleName,
    host: verdict.destination.host,
    category: verdict.category,
  }
  const isTerminal = verdict.ackToken === undefined
  return {
    support: supportHref(link, details),
    // Only pages without a way to proceed have the button.
    report: isTerminal ? supportHref(link, details, reportMail(reportLabel(t, verdict.kind), t, time)) : '',
  }
}

/** Of the button on a page without a way to proceed, and of its mail: a block may be a mistake, the others are the rules. */
export function reportLabel({ report, askForAccess }: Messages, kind: VerdictKind): string {
  return kind === 'block' ? report : askForAccess
}

function reportMail(subject: string, { details: words }: Messages, time: string) {
  const { labelled } = words
  return ({ reference = '', rule = '', host = '', category }: SupportDetails): Mail => ({
    subject: labelled(subject, host),
    body: [
      labelled(words.rule, rule),
      ...(category === undefined ? [] : [labelled(words.category, category)]),
      labelled(words.reference, reference),
      labelled(words.time, time),
    ],
  })
}
