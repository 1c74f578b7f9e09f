// The period of a report: whole hours, and the days of the engine's time zone that they belong to.
import { startTurn } from '../../event-loop.ts'
import type { ZoneClock } from '../../policy/schedule/zone-clock.ts'

/** Milliseconds since the epoch, each at the start of an hour in the time zone. */
export interface Period {
  readonly since: number
  readonly until: number
  readonly timezone: string
}

export interface PeriodDay {
  /** `2026-11-20` */
  readonly date: string
  /** How many hours of it are in the period. */
  readonly hours: number
}

/** Where an hour is in a calendar. */
export interface CalendarHour {
  readonly date: string
  /** 0 for Monday. */
  readonly weekday: number
  readonly hour: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DURATION = /^P(?:[1-9]\d{0,3}[DW]|T[1-9]\d{0,5}[HM])$/

/**
 * One end of a period: the start of a date, a time, or a time before now (`P7D`, `PT36H`). A duration in days or weeks ends at
 * midnight.
 * @param now milliseconds since the epoch
 * @returns undefined for anything else
 */
export function parseBound(text: string, timezone: string, now: number): Temporal.ZonedDateTime | undefined {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text).toZonedDateTime(timezone)
    const isDuration = DURATION.test(text)
    if (!isDuration && !/^\d{4}-\d{2}-\d{2}T/.test(text)) return undefined
    if (!isDuration) return Temporal.Instant.from(text).toZonedDateTimeISO(timezone)
    const before = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).subtract(text)
    return /[DW]$/.test(text) ? before.startOfDay() : before
  } catch {
    return undefined
  }
}

/** Whole hours: one that has begun counts. Undefined where the period is empty. */
export function periodOf(since: Temporal.ZonedDateTime, until: Temporal.ZonedDateTime): Period | undefined {
  const [start, end] = [startOfHour(since), startOfHour(until)]
  const isWhole = end === until.epochMilliseconds
  const period = { since: start, until: isWhole ? end : end + HOUR_MS, timezone: since.timeZoneId }
  return period.since < period.until ? period : undefined
}

/** In order, without a gap. */
export function daysOf({ since, until, timezone }: Period): readonly PeriodDay[] {
  const days: PeriodDay[] = []
  let day = Temporal.Instant.fromEpochMilliseconds(since).toZonedDateTimeISO(timezone).startOfDay()
  while (day.epochMilliseconds < until) {
    const next = day.add({ days: 1 }).startOfDay()
    const from = Math.max(since, day.epochMilliseconds)
    const to = Math.min(until, next.epochMilliseconds)
    days.push({ date: day.toPlainDate().toString(), hours: (to - from) / HOUR_MS })
    day = next
  }
  return days
}

/** Of each of these hours, given by its start. */
export async function calendarOf(
  hours: Iterable<number>,
  { read }: Pick<ZoneClock, 'read'>,
): Promise<ReadonlyMap<number, CalendarHour>> {
  const calendar = new Map<number, CalendarHour>()
  const turn = startTurn()
  for (const start of hours) {
    if (calendar.has(start)) continue
    const { date, minute } = read(start)
    // 1970-01-01 was a Thursday.
    const weekday = (date + 3) % 7
    const text = new Date(date * DAY_MS).toISOString().slice(0, 10)
    calendar.set(start, { date: text, weekday, hour: Math.floor(minute / 60) })
    if (turn.isOver()) await turn.next()
  }
  return calendar
}

/** Of the local hour: zones differ from UTC by quarters of one. */
function startOfHour(time: Temporal.ZonedDateTime): number {
  const { minute, second, millisecond, epochMilliseconds } = time
  return epochMilliseconds - ((minute * 60 + second) * 1000 + millisecond)
}
