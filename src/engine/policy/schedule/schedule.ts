// When a rule applies: a span of time on certain days of the week, in a time zone. It follows local time: on the day on
// which summer time begins, a span may be an hour shorter, and on the day on which it ends, an hour longer.
import type { ZoneClock } from './zone-clock.ts'

export interface Schedule {
  /** By day of the week, Sunday first. */
  readonly days: readonly boolean[]
  /** Minutes since midnight; `to` is excluded. `from` is greater than `to` if the span crosses midnight. */
  readonly from: number
  readonly to: number
  readonly clock: ZoneClock
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
export function isWithin({ days, from, to, clock, notOn }: Schedule, at: number): boolean {
  const { date, minute } = clock.read(at)
  // The day of a span is that of its start.
  if (from < to) return minute >= from && minute < to && isDay(days, notOn, date)
  return (minute >= from && isDay(days, notOn, date)) || (minute < to && isDay(days, notOn, date - 1))
}

const MINUTE_MS = 60_000

/**
 * When a span that applies ends, in milliseconds since the epoch: spans that follow each other count as one.
 * @param at a moment at which it applies
 * @param within undefined if it takes longer, in milliseconds
 */
export function endOf(schedule: Schedule, at: number, within: number): number | undefined {
  const { to, clock } = schedule
  let end = at - (at % MINUTE_MS)
  while (isWithin(schedule, end)) {
    const next = end + (minutesUntil(to, clock.read(end).minute) || WHOLE_DAY) * MINUTE_MS
    // On the days on which summer time begins and ends, the clock shows another time then, or never shows this one.
    const left = minutesUntil(to, clock.read(next).minute)
    const adjusted = next + (left > WHOLE_DAY / 2 ? left - WHOLE_DAY : left) * MINUTE_MS
    end = adjusted > end ? adjusted : next
    if (end - at > within) return undefined
  }
  return end
}

function minutesUntil(minute: number, now: number): number {
  return (minute - now + WHOLE_DAY) % WHOLE_DAY
}

function isDay(days: Schedule['days'], notOn: Schedule['notOn'], day: number): boolean {
  return days[(day + 4) % 7] === true && !notOn.has(day)
}

/** `mon,tue 08:00 to 16:30, Europe/Zurich`. */
export function scheduleText({ days, from, to, clock }: Schedule): string {
  const names = DAYS.filter((_, day) => days[day])
  return `${names.length === 7 ? 'every day' : names.join(',')} ${timeText(from)} to ${timeText(to)}, ${clock.timezone}`
}

/** `sat 12:03`, as the clock in the schedule's time zone shows it. */
export function localTimeText({ clock }: Schedule, at: number): string {
  const { date, minute } = clock.read(at)
  return `${DAYS[(date + 4) % 7]} ${timeText(minute)}`
}

function timeText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
