// Numbers, dates and times in the report's language.
import type { Language } from './i18n/catalogue.ts'

export interface Formats {
  number(value: number): string
  /** A dash where there is nothing to have a share of. */
  share(part: number, whole: number): string
  /** `Friday, 20 November 2026` @param date `2026-11-20` */
  day(date: string): string
  /** `20 Nov` */
  shortDay(date: string): string
  /** `Fri 20` */
  weekdayAndDay(date: string): string
  /** @param weekday 0 for Monday */
  weekday(weekday: number): string
  shortWeekday(weekday: number): string
  /** `09:00` */
  hour(hour: number): string
  /** With the time of day in the time zone. @param iso an instant */
  time(iso: string): string
  days(count: number): string
  hours(count: number): string
}

/** Language tags for `Intl`. */
const TAGS: Partial<Record<Language, string>> = { en: 'en-GB' }
/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000

export function createFormats(language: Language, timeZone: string): Formats {
  const tag = TAGS[language] ?? language
  const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, { timeZone: 'UTC', ...options })
  const unit = (name: string) => new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay: 'long' })
  const number = new Intl.NumberFormat(tag)
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 })
  const formats = {
    day: dates({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }),
    shortDay: dates({ month: 'short', day: 'numeric' }),
    weekdayAndDay: dates({ weekday: 'short', day: 'numeric' }),
    weekday: dates({ weekday: 'long' }),
    shortWeekday: dates({ weekday: 'short' }),
    hour: dates({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    time: dates({ dateStyle: 'long', timeStyle: 'short', timeZone }),
  }
  // French has an ordinal for the first day of a month; Intl does not.
  const withFirst = (text: string) => (language === 'fr' ? text.replace(/(?<!\d)1(?= \p{L})/u, '1er') : text)
  const [days, hours] = [unit('day'), unit('hour')]
  return {
    number: (value) => number.format(value),
    share: (part, whole) => (whole === 0 ? '–' : percent.format(part / whole)),
    day: (date) => withFirst(formats.day.format(instantOf(date))),
    shortDay: (date) => formats.shortDay.format(instantOf(date)),
    weekdayAndDay: (date) => formats.weekdayAndDay.format(instantOf(date)),
    weekday: (weekday) => formats.weekday.format(MONDAY + weekday * DAY_MS),
    shortWeekday: (weekday) => formats.shortWeekday.format(MONDAY + weekday * DAY_MS),
    hour: (hour) => formats.hour.format(MONDAY + (hour * DAY_MS) / 24),
    time: (iso) => withFirst(formats.time.format(new Date(iso))),
    days: (count) => days.format(count),
    hours: (count) => hours.format(count),
  }
}

function instantOf(date: string): Date {
  return new Date(`${date}T00:00:00Z`)
}
