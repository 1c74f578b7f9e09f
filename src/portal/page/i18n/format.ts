// Times and durations in the visitor's language.
import type { Locale } from '../../../settings/sections/locales.ts'

/** A point in time for machines (ISO 8601) and for people. */
export interface Time {
  readonly iso: string
  readonly text: string
  /** Without seconds. */
  readonly toMinute: string
}

interface TimeFormat {
  readonly format: Intl.DateTimeFormat
  readonly toMinute: Intl.DateTimeFormat
  /** Many verdicts have the same second. */
  readonly cache: Map<number, Time>
}

const UTC = 'UTC'

const TO_MINUTE = {
  ...{ year: 'numeric', month: 'long', day: 'numeric' },
  ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
} as const satisfies Intl.DateTimeFormatOptions

/** By locale and time zone. */
const formats = new Map<string, TimeFormat>()
const MAXIMUM_CACHED = 1000

/** Formats Unix seconds in the operator's time zone, and names it, because the visitor's is unknown. */
export function formatTime(seconds: number, locale: Locale, timeZone: string): Time {
  const { format, toMinute, cache } = formats.getOrInsertComputed(`${locale} ${timeZone}`, () => ({
    format: dateFormat({ dateStyle: 'long', timeStyle: 'long', timeZone }, locale),
    toMinute: dateFormat({ ...TO_MINUTE, timeZone }, locale),
    cache: new Map(),
  }))
  const cached = cache.get(seconds)
  if (cached !== undefined) return cached
  const date = new Date(seconds * 1000)
  const time = {
    iso: date.toISOString().replace('.000', ''),
    text: format.format(date),
    toMinute: toMinute.format(date),
  }
  if (cache.size >= MAXIMUM_CACHED) cache.clear()
  cache.set(seconds, time)
  return time
}

interface DayFormats {
  readonly date: Intl.DateTimeFormat
  readonly clock: Intl.DateTimeFormat
}

/** By locale and time zone. */
const dayFormats = new Map<string, DayFormats>()
const DAY_MS = 86_400_000

/**
 * A moment within the next days, as people say it: `today` and `12:00`.
 * @param seconds Unix seconds, as `now`
 */
export function formatSoon(
  seconds: number,
  now: number,
  locale: Locale,
  timeZone: string,
): { readonly day: string; readonly time: string } {
  const { date, clock } = dayFormats.getOrInsertComputed(`${locale} ${timeZone}`, () => ({
    // ISO 8601.
    date: new Intl.DateTimeFormat('sv', { timeZone }),
    clock: dateFormat({ timeStyle: 'short', timeZone }, locale),
  }))
  const [today = 0, then = 0] = [now, seconds].map((at) => Date.parse(date.format(at * 1000)) / DAY_MS)
  return { day: relativeDays(locale).format(then - today, 'day'), time: clock.format(seconds * 1000) }
}

/** Whether a time of day is within the hour from one, a singular in some languages: `1:05` or `01:05`, but not `13:05`. */
export function isOneOClock(time: string): boolean {
  return /^0?1\D/.test(time)
}

// Building one of these takes tens of microseconds; a warning's whole page takes about a hundred.
const plurals = perLocale((locale) => new Intl.PluralRules(tagOf(locale)))
const numbers = perLocale((locale) => new Intl.NumberFormat(tagOf(locale)))
const days = perLocale((locale) => unitFormat('day', locale))
const hours = perLocale((locale) => unitFormat('hour', locale))
const minutes = perLocale((locale) => unitFormat('minute', locale))
const relativeDays = perLocale((locale) => new Intl.RelativeTimeFormat(tagOf(locale), { numeric: 'auto' }))
const conjunctions = perLocale((locale) => new Intl.ListFormat(tagOf(locale), { type: 'conjunction' }))
const dates = perLocale((locale) => dateFormat({ dateStyle: 'long' }, locale))
const months = perLocale((locale) => dateFormat({ year: 'numeric', month: 'long' }, locale))

/** Texts by the plural categories that the language distinguishes; the number may stand as `{n}`. */
export type PluralForms = { readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string } & {
  readonly other: string
}

/** Selects the language's plural form for this number; `{n}` in it is replaced. */
export function formatCount(count: number, locale: Locale, forms: PluralForms): string {
  const form = forms[plurals(locale).select(count)] ?? forms.other
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

const FIRST_DAYS: Partial<Record<Locale, string>> = { fr: '1er', pt: '1º' }

/** A date in UTC, from milliseconds since 1970. */
export function formatDate(time: number, locale: Locale): string {
  const text = dates(locale).format(time)
  // Some languages use an ordinal for the first day of a month; Intl does not.
  const first = FIRST_DAYS[locale]
  return first === undefined ? text : text.replace(/^1(?= )/, first)
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
  return new Intl.NumberFormat(tagOf(locale), { style: 'unit', unit, unitDisplay: 'long' })
}

function dateFormat(options: Intl.DateTimeFormatOptions, locale: Locale): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(tagOf(locale), { timeZone: UTC, ...options })
}

/** Language tags for `Intl`. Arabic has Latin digits, as codes, references and addresses do. */
const TAGS: Partial<Record<Locale, string>> = { en: 'en-GB', ar: 'ar-u-nu-latn' }

function tagOf(locale: Locale): string {
  return TAGS[locale] ?? locale
}
