// Times and durations in the visitor's language.
import type { Locale } from '../../config/locales.ts'

/** A moment for machines (ISO 8601) and for people. */
export interface Time {
  readonly iso: string
  readonly text: string
}

const formats = new Map<Locale, Intl.DateTimeFormat>()
/** Verdicts come many in a second, and for as long as the replay window is open: their times are kept. */
const times = new Map<Locale, Map<number, Time>>()
const KEPT_TIMES = 1000

/** A moment (Unix seconds) with its zone, which is UTC: the portal does not know the visitor's. */
export function formatTime(seconds: number, locale: Locale): Time {
  const ofLocale = times.get(locale) ?? new Map<number, Time>()
  const kept = ofLocale.get(seconds)
  if (kept !== undefined) return kept
  times.set(locale, ofLocale)
  let format = formats.get(locale)
  if (format === undefined) {
    format = dateFormat({ dateStyle: 'long', timeStyle: 'medium' }, locale)
    formats.set(locale, format)
  }
  const date = new Date(seconds * 1000)
  const time = { iso: date.toISOString(), text: `${format.format(date)} UTC` }
  if (ofLocale.size >= KEPT_TIMES) ofLocale.clear()
  ofLocale.set(seconds, time)
  return time
}

/** What is counted, in the form that the language has for this number; `{n}` is where the number goes. */
export function formatCount(
  count: number,
  locale: Locale,
  forms: { readonly one: string; readonly other: string },
): string {
  const form = new Intl.PluralRules(locale).select(count) === 'one' ? forms.one : forms.other
  return form.replace('{n}', new Intl.NumberFormat(locale).format(count))
}

/** A duration in the two largest units that say something: `14 minutes and 3 seconds`. */
export function formatDuration(duration: number, locale: Locale): string {
  const seconds = Math.max(1, duration)
  const parts = [
    ['hour', Math.floor(seconds / 3600)],
    ['minute', Math.floor((seconds % 3600) / 60)],
    ['second', seconds % 60],
  ] as const
  const spoken = parts
    .filter(([, amount]) => amount > 0)
    .slice(0, 2)
    .map(([unit, amount]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount))
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(spoken)
}

/** A day (milliseconds since 1970, in UTC). */
export function formatDate(time: number, locale: Locale): string {
  const text = dateFormat({ dateStyle: 'long' }, locale).format(time)
  // French counts the first day of a month with an ordinal number, and Intl does not.
  return locale === 'fr' ? text.replace(/^1 /, '1er ') : text
}

/** A month, such as `2026-11`. */
export function formatMonth(month: string, locale: Locale): string {
  return dateFormat({ year: 'numeric', month: 'long' }, locale).format(new Date(`${month}-01T00:00:00Z`))
}

export function formatNumber(number: number, locale: Locale): string {
  return new Intl.NumberFormat(locale).format(number)
}

/** A number of days: `1 day`, `3,652 days`. */
export function formatDays(days: number, locale: Locale): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days)
}

function dateFormat(options: Intl.DateTimeFormatOptions, locale: Locale): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, { ...options, timeZone: 'UTC' })
}
