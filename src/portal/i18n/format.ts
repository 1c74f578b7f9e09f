// Times and durations in the visitor's language.
import type { Locale } from '../../config/locales.ts'

/** A point in time for machines (ISO 8601) and for people. */
export interface Time {
  readonly iso: string
  readonly text: string
}

const formats = new Map<Locale, Intl.DateTimeFormat>()
/** A cache: many verdicts have the same second. */
const cache = new Map<Locale, Map<number, Time>>()
const MAXIMUM_CACHED = 1000

/** Formats Unix seconds in UTC, because the visitor's time zone is unknown. */
export function formatTime(seconds: number, locale: Locale): Time {
  const ofLocale = cache.get(locale) ?? new Map<number, Time>()
  const cached = ofLocale.get(seconds)
  if (cached !== undefined) return cached
  cache.set(locale, ofLocale)
  let format = formats.get(locale)
  if (format === undefined) {
    format = dateFormat({ dateStyle: 'long', timeStyle: 'medium' }, locale)
    formats.set(locale, format)
  }
  const date = new Date(seconds * 1000)
  const time = { iso: date.toISOString(), text: `${format.format(date)} UTC` }
  if (ofLocale.size >= MAXIMUM_CACHED) ofLocale.clear()
  ofLocale.set(seconds, time)
  return time
}

/** Selects the language's plural form for this number; `{n}` in it is replaced. */
export function formatCount(
  count: number,
  locale: Locale,
  forms: { readonly one: string; readonly other: string },
): string {
  const form = new Intl.PluralRules(locale).select(count) === 'one' ? forms.one : forms.other
  return form.replace('{n}', new Intl.NumberFormat(locale).format(count))
}

/** A duration in its two largest non-zero units: `14 minutes and 3 seconds`. */
export function formatDuration(duration: number, locale: Locale): string {
  const seconds = Math.max(1, duration)
  const parts = [
    ['hour', Math.floor(seconds / 3600)],
    ['minute', Math.floor((seconds % 3600) / 60)],
    ['second', seconds % 60],
  ] as const
  const texts = parts
    .filter(([, amount]) => amount > 0)
    .slice(0, 2)
    .map(([unit, amount]) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount))
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(texts)
}

/** A date in UTC, from milliseconds since 1970. */
export function formatDate(time: number, locale: Locale): string {
  const text = dateFormat({ dateStyle: 'long' }, locale).format(time)
  // French uses an ordinal for the first day of a month; Intl does not.
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
