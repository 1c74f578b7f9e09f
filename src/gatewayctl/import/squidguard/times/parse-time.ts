// One line of a time of squidGuard: what follows `weekly` or `date`.
import { type DateRange, everyWeek, onDates, type Timeline } from './timeline.ts'
import { DAY, EVERY_DAY, type TimesOfDay, weekOn } from './week.ts'

/** squidGuard's letters, Sunday first. */
const LETTERS = 'smtwhfa'
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const DAY_NAME = /^(?:(?:sun|mon|fri)(?:days?)?|tue(?:sdays?)?|wed(?:nesdays?)?|thu(?:rsdays?)?|sat(?:urdays?)?)$/

const TIMES = /([0-9]{1,2}):([0-9]{2})\s*-\s*([0-9]{1,2}):([0-9]{2})/g
const DATE = /([0-9]{4})[-.]([0-9]{2})[-.]([0-9]{2})/.source
const DATES = new RegExp(`^${DATE}(?:\\s*-\\s*${DATE})?$`)
const REPEATED = /^([0-9]{4}|\*)[-.]([0-9]{2}|\*)[-.]([0-9]{2}|\*)$/

/** squidGuard's. */
const FIRST_YEAR = 1900
/** For how many years dates of every year are written out: the policy's dates have a year. */
const YEARS = 10

export interface ReadTime {
  readonly timeline: Timeline | undefined
  /** What is not understood, or changed. */
  readonly note: string | undefined
}

/**
 * Reads `mtwhf 08:00-12:00 13:00-16:30`, `monday, tuesday 08:00-12:00`, `2026.04.14-2026.04.17`, or `*.12.24 12:00-24:00`.
 * @param year the current one
 */
export function parseTime(text: string, year: number): ReadTime {
  const named = text.replace(TIMES, ' ').trim()
  const days = parseDays(named)
  const dates = days === undefined ? parseDates(named, year) : undefined
  if (days === undefined && dates === undefined) return { timeline: undefined, note: 'is not understood' }
  const times = [...text.matchAll(TIMES)].map(([, ...parts]) => {
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.map(Number)
    return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute }
  })
  const fault = faultOf(times, dates)
  if (fault !== undefined) return { timeline: undefined, note: fault }
  if (dates === undefined) return { timeline: everyWeek(weekOn(days ?? [], times)), note: undefined }
  const week = weekOn(EVERY_DAY, times.length === 0 ? [{ from: 0, to: DAY }] : times)
  const note = named.startsWith('*') ? `imported until ${year + YEARS - 1}: the policy's dates have a year` : undefined
  return { timeline: onDates(dates, week), note }
}

function faultOf(times: readonly TimesOfDay[], dates: readonly DateRange[] | undefined): string | undefined {
  if (times.length === 0 && dates === undefined) return 'has no times'
  if (times.some(({ from, to }) => from >= DAY || to > DAY)) return 'is not understood'
  if (dates?.length === 0) return 'has a date that does not exist'
  const isReversed = times.some(({ from, to }) => from >= to) || dates?.some(({ first, last }) => first > last)
  return isReversed ? 'ends before it begins: squidGuard never applies it' : undefined
}

/** Reads `*`, letters such as `mtwhf`, or names such as `monday, tue`; a date that is every day is `*`. */
function parseDays(text: string): readonly number[] | undefined {
  if (/^\*([-.]\*[-.]\*)?$/.test(text)) return EVERY_DAY
  const words = text.toLowerCase().split(/[\s,]+/)
  const days = words.every((word) => DAY_NAME.test(word))
    ? words.map((word) => DAYS.indexOf(word.slice(0, 3)))
    : words.flatMap((word) => [...word].map((letter) => LETTERS.indexOf(letter)))
  return text === '' || days.includes(-1) ? undefined : days
}

/** Undefined for anything but dates; empty where none of them exists. */
function parseDates(text: string, year: number): readonly DateRange[] | undefined {
  const [, ...parts] = DATES.exec(text) ?? []
  if (parts.length > 0) {
    const first = dayOf(...parts.slice(0, 3).map(Number))
    const last = parts[3] === undefined ? first : dayOf(...parts.slice(3).map(Number))
    return first === undefined || last === undefined ? [] : [{ first, last }]
  }
  const [, ofYear, ofMonth, ofDay] = REPEATED.exec(text) ?? []
  if (ofYear === undefined) return undefined
  return numbers(ofYear, year, YEARS).flatMap((y) =>
    numbers(ofMonth, 1, 12).flatMap((m): readonly DateRange[] => {
      const days = numbers(ofDay, 1, 31).flatMap((d) => dayOf(y, m, d) ?? [])
      const [first, last] = [days[0], days.at(-1)]
      return first === undefined || last === undefined ? [] : [{ first, last }]
    }),
  )
}

/** The number, or as many as `*` stands for. */
function numbers(text: string | undefined, first: number, count: number): readonly number[] {
  return text === '*' ? Array.from({ length: count }, (_, at) => first + at) : [Number(text)]
}

/** Days since 1970-01-01; undefined if there is no such date. */
function dayOf(year = 0, month = 0, day = 0): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const exists = year >= FIRST_YEAR && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? date.getTime() / 86_400_000 : undefined
}
