// Times and durations in the visitor's language.
import type { Locale } from '../../../settings/sections/locales.ts'

/** A point in time for machines (ISO 8601) and for people. */
export interface Time {
  readonly iso: string
  readonly text: string
}

interface TimeFormat {
  readonly format: Intl.DateTimeFormat
  /** Many verdicts have the same second. */
  readonly cache: Map<number, Time>
}

export const UTC = 'UTC'

/** By locale and time zone. */
const formats = new Map<string, TimeFormat>()
const MAXIMUM_CACHED = 1000

/** Formats Unix seconds in the operator's time zone, and names it, because the visitor's is unknown. */
export function formatTime(seconds: number, locale: Locale, timeZone: string): Time {
  const { format, cache } = formats.getOrInsertComputed(`${locale} ${timeZone}`, () => ({
    format: dateFormat({ dateStyle: 'long', timeStyle: 'long', timeZone }, locale),
    cache: new Map(),
  }))
  const cached = cache.get(seconds)
  if (cached !== undefined) return cached
  const date = new Date(seconds * 1000)
  const time = { iso: date.toISOString(), text: format.format(date) }
  if (cache.size >= MAXIMUM_CACHED) cache.clear()
  cache.set(seconds, time)
  return time
}

// Building one of these takes tens of microseconds; a warning's whole page takes about a hundred.
const plurals = perLocale((locale) => new Intl.PluralRules(locale))
const numbers = perLocale((locale) => new Intl.NumberFormat(locale))
const days = perLocale((locale) => unitFormat('day', locale))
const hours = perLocale((locale) => unitFormat('hour', locale))
const minutes = perLocale((locale) => unitFormat('minute', locale))
const conjunctions = perLocale((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }))
const dates = perLocale((locale) => dateFormat({ dateStyle: 'long' }, locale))
const months = perLocale((locale) => dateFormat({ year: 'numeric', month: 'long' }, locale))

/** Selects the language's plural form for this number; `{n}` in it is replaced. */
export function formatCount(
  count: number,
  locale: Locale,
  forms: { readonly one: string; readonly other: string },
): string {
  const form = plurals(locale).select(count) === 'one' ? forms.one : forms.other
  return form.replace('{n}', () => formatNumber(count, locale))
}

const UNITS = [
  [days, 24 * 60],
  [hours, 60],
  [minutes, 1],
] as const

/** A duration of minutes in its two largest units, the first one from two on: `90 minutes`, `2 hours and 30 minutes`. */
export function formatDuration(duration: number, locale: Locale): string {
  let rest = Math.max(1, duration)
  const texts: string[] = []
  for (const [format, size] of UNITS) {
    const isTooLarge = texts.length === 0 && size > 1 && rest < 2 * size
    const amount = isTooLarge ? 0 : Math.floor(rest / size)
    rest -= amount * size
    if (amount === 0) continue
    texts.push(format(locale).format(amount))
  }
  return conjunctions(locale).format(texts.slice(0, 2))
}

/** A date in UTC, from milliseconds since 1970. */
export function formatDate(time: number, locale: Locale): string {
  const text = dates(locale).format(time)
  // French uses an ordinal for the first day of a month; Intl does not.
  return locale === 'fr' ? text.replace(/^1 /, '1er ') : text
}

/** A month, such as `2026-11`. */
export function formatMonth(month: string, locale: Locale): string {
  return months(locale).format(new Date(`${month}-01T00:00:00Z`))
}

export function formatNumber(number: number, locale: Locale): string {
  return numbers(locale).format(number)
}

/** A number of days: `1 day`, `3,652 days`. */
export function formatDays(count: number, locale: Locale): string {
  return days(locale).format(count)
}

function perLocale<Format>(build: (locale: Locale) => Format): (locale: Locale) => Format {
  const built = new Map<Locale, Format>()
  return (locale) => built.getOrInsertComputed(locale, build)
}

function unitFormat(unit: string, locale: Locale): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
}

function dateFormat(options: Intl.DateTimeFormatOptions, locale: Locale): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, { timeZone: UTC, ...options })
}
