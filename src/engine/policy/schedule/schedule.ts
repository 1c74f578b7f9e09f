// When a rule applies: spans of time on certain days, each in a time zone. They follow local time: on the day on which summer
// time begins, a span may be an hour shorter, and on the day on which it ends, an hour longer.
import { dateText } from './dates-file.ts'
import type { ZoneClock } from './zone-clock.ts'

/** Applies when one of its spans does. */
export type Schedule = readonly Span[]

export interface Span {
  /** By day of the week, Sunday first. */
  readonly days: readonly boolean[]
  /** Minutes since midnight; `to` is excluded. `from` is greater than `to` if the span crosses midnight. */
  readonly from: number
  readonly to: number
  readonly clock: ZoneClock
  /** The first and the last date on which it begins, in days since 1970-01-01; infinite without one. */
  readonly first: number
  readonly last: number
  /** Days since 1970-01-01. */
  readonly notOn: ReadonlySet<number>
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
export const WHOLE_DAY = 24 * 60

/** Reads days such as `mon-fri`, `sat,sun` or `fri-mon`; undefined for anything else. */
export function parseDays(text: string): readonly boolean[] | undefined {
  const days = DAYS.map(() => false)
  for (const part of text.toLowerCase().split(',')) {
    const [, first = '', last = first] = /^\s*([a-z]{3})(?:\s*-\s*([a-z]{3}))?\s*$/.exec(part) ?? []
    const begin = DAYS.indexOf(first)
    const end = DAYS.indexOf(last)
    if (begin === -1 || end === -1) return undefined
    for (let day = begin; ; day = (day + 1) % 7) {
      days[day] = true
      if (day === end) break
    }
  }
  return days
}

/** Reads `08:00` to `24:00` as minutes since midnight; undefined for anything else. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01][0-9]|2[0-4]):([0-5][0-9])$/.exec(text) ?? []
  const time = Number(hours) * 60 + Number(minutes)
  return time <= WHOLE_DAY ? time : undefined
}

/** @param at milliseconds since the epoch */
export function isWithin(schedule: Schedule, at: number): boolean {
  return schedule.some((span) => isInSpan(span, at))
}

function isInSpan(span: Span, at: number): boolean {
  const { from, to, clock } = span
  const { date, minute } = clock.read(at)
  // The day of a span is that of its start.
  if (from < to) return minute >= from && minute < to && beginsOn(span, date)
  return (minute >= from && beginsOn(span, date)) || (minute < to && beginsOn(span, date - 1))
}

function beginsOn({ days, first, last, notOn }: Span, day: number): boolean {
  return days[(day + 4) % 7] === true && day >= first && day <= last && !notOn.has(day)
}

const MINUTE_MS = 60_000

/** The next moment at which one of the spans may begin or end, in milliseconds since the epoch: a whole minute. */
export function nextChange(schedule: Schedule, at: number): number {
  return Math.min(...schedule.map((span) => nextEdge(span, at)))
}

function nextEdge({ from, to, clock }: Span, at: number): number {
  const now = at - (at % MINUTE_MS)
  const { minute } = clock.read(now)
  const minutes = Math.min(minutesUntil(from, minute) || WHOLE_DAY, minutesUntil(to, minute) || WHOLE_DAY)
  // As on the day on which summer time begins.
  const change = Math.ceil(clock.nextOffsetChange(now) / MINUTE_MS) * MINUTE_MS
  return Math.min(now + minutes * MINUTE_MS, change)
}

function minutesUntil(minute: number, now: number): number {
  return (minute - now + WHOLE_DAY) % WHOLE_DAY
}

const MAXIMUM_IN_WORDS = 5

/** `mon,tue 08:00 to 16:30, Europe/Zurich`. */
export function scheduleText(schedule: Schedule): string {
  const spans = schedule.slice(0, MAXIMUM_IN_WORDS).map(spanText)
  const more = schedule.length - spans.length
  return [...spans, ...(more > 0 ? [`in ${more} more ${more === 1 ? 'span' : 'spans'}`] : [])].join(', or ')
}

function spanText({ days, from, to, first, last, clock }: Span): string {
  const names = DAYS.filter((_, day) => days[day])
  const words = names.length === 7 ? 'every day' : names.join(',')
  return `${words}${datesText(first, last)} ${timeText(from)} to ${timeText(to)}, ${clock.timezone}`
}

function datesText(first: number, last: number): string {
  if (first === last) return ` on ${dateText(first)}`
  return `${first > -Infinity ? ` from ${dateText(first)}` : ''}${last < Infinity ? ` until ${dateText(last)}` : ''}`
}

/** `sat 12:03 there`; the time in each of the schedule's time zones, if it has several. */
export function localTimeText(schedule: Schedule, at: number): string {
  const clocks = [...new Set(schedule.map(({ clock }) => clock))]
  return clocks
    .map((clock) => {
      const { date, minute } = clock.read(at)
      const where = clocks.length === 1 ? 'there' : `in ${clock.timezone}`
      return `${DAYS[(date + 4) % 7]} ${timeText(minute)} ${where}`
    })
    .join(', ')
}

function timeText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
