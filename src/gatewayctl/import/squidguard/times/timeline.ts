// When something is in force: a week for each period between dates, and what the policy can say of it.
import { ALL_WEEK, DAY, EVERY_DAY, NO_WEEK, spansOfWeek, type Week, type WeekSpan, weekOn } from './week.ts'

interface Period {
  /** Its first day since 1970-01-01; it lasts until the next one begins. */
  readonly first: number
  readonly week: Week
}

/** In order; the first one begins at -Infinity. */
export type Timeline = readonly Period[]

/** A span in the form of the policy's `when`, without what is its default. */
export interface Span {
  readonly days?: string
  readonly on?: string
  readonly until?: string
  readonly from?: string
  readonly to?: string
}

/** From one day since 1970-01-01 to another. */
export interface DateRange {
  readonly first: number
  readonly last: number
}

const WHOLE_DAY = [{ from: 0, to: DAY }]
const DAY_MS = 24 * 60 * 60 * 1000
/** The last one that the policy can have. */
const LAST_DATE = '9999-12-31'
const LAST_DAY = Date.parse(LAST_DATE) / DAY_MS

export const everyWeek = (week: Week): Timeline => [{ first: -Infinity, week }]
export const ALWAYS = everyWeek(ALL_WEEK)
export const NEVER = everyWeek(NO_WEEK)

/** @param ranges in order, none of which overlap */
export function onDates(ranges: readonly DateRange[], week: Week): Timeline {
  const periods = ranges.flatMap(({ first, last }) => [
    { first, week },
    { first: last + 1, week: NO_WEEK },
  ])
  const kept = periods.filter(({ first }, at) => first !== periods[at + 1]?.first && first <= LAST_DAY)
  return merged([...NEVER, ...kept])
}

/** The same object where the other is `ALWAYS`: a time keeps its identity, and thereby its name. */
export function both(one: Timeline, other: Timeline): Timeline {
  if (one === ALWAYS || other === ALWAYS) return one === ALWAYS ? other : one
  return joined(one, other, (week, second) => week & second)
}

export const either = (one: Timeline, other: Timeline): Timeline => joined(one, other, (week, second) => week | second)

const opposites = new WeakMap<Timeline, Timeline>()

/** The same object whenever it is called. */
export function not(one: Timeline): Timeline {
  const known = opposites.get(one)
  if (known !== undefined) return known
  const opposite = one.map(({ first, week }) => ({ first, week: notWeek(week) }))
  opposites.set(one, opposite)
  opposites.set(opposite, one)
  return opposite
}

const notWeek = (week: Week): Week => ALL_WEEK ^ week

export function isNever(one: Timeline): boolean {
  return one.every((_, at) => weekOf(one, at) === NO_WEEK)
}

export function isSame(one: Timeline, other: Timeline): boolean {
  return one === other || isNever(joined(one, other, (week, second) => week ^ second))
}

function joined(one: Timeline, other: Timeline, join: (one: Week, other: Week) => Week): Timeline {
  const periods: Period[] = []
  for (let [at, place] = [0, 0]; ; ) {
    const [period, second] = [one[at], other[place]]
    if (period === undefined || second === undefined) return merged(periods)
    periods.push({ first: Math.max(period.first, second.first), week: join(period.week, second.week) })
    const next = Math.min(one[at + 1]?.first ?? Infinity, other[place + 1]?.first ?? Infinity)
    if (next === Infinity) return merged(periods)
    if (one[at + 1]?.first === next) at++
    if (other[place + 1]?.first === next) place++
  }
}

function merged(periods: Timeline): Timeline {
  return periods.filter(({ week }, at) => at === 0 || week !== (periods[at - 1] as Period).week)
}

/** The days of the week that a period has. */
function daysOf(timeline: Timeline, at: number): readonly number[] {
  const { first } = timeline[at] as Period
  const count = (timeline[at + 1]?.first ?? Infinity) - first
  return count >= 7 ? EVERY_DAY : EVERY_DAY.slice(0, count).map((day) => (((first + day + 4) % 7) + 7) % 7)
}

/** The week of a period, on the days that it has. */
function weekOf(timeline: Timeline, at: number): Week {
  const { week } = timeline[at] as Period
  const days = daysOf(timeline, at)
  return days === EVERY_DAY ? week : week & weekOn(days, WHOLE_DAY)
}

/** Spans without dates for what is in force in every week; then those of each period that has more. */
export function spansOf(timeline: Timeline): readonly Span[] {
  const inEvery = timeline.reduce((week, period, at) => {
    const days = daysOf(timeline, at)
    const elsewhere = days === EVERY_DAY ? NO_WEEK : notWeek(weekOn(days, WHOLE_DAY))
    return week & (period.week | elsewhere)
  }, ALL_WEEK)
  const isWithin = (span: WeekSpan, week: Week) => (weekOn(span.days, [span]) & notWeek(week)) === NO_WEEK
  const undated = spansOfWeek(weekOf(timeline, timeline.length - 1)).filter((span) => isWithin(span, inEvery))
  const always = undated.reduce((week, span) => week | weekOn(span.days, [span]), NO_WEEK)
  const dated = timeline.flatMap(({ first }, at): readonly Span[] => {
    const next = timeline[at + 1]?.first
    const last = next === undefined ? LAST_DAY : next - 1
    const dates = {
      ...(first !== -Infinity && { on: dateText(first) }),
      ...(timeline.length > 1 && last !== first && { until: dateText(last) }),
    }
    const days = daysOf(timeline, at)
    return spansOfWeek(weekOf(timeline, at))
      .filter((span) => !isWithin(span, always))
      .map((span) => spanOf(span, days.length, dates))
  })
  return [...undated.map((span) => spanOf(span, 7, {})), ...dated]
}

/** @param count of days that it could be on */
function spanOf({ days, from, to }: WeekSpan, count: number, dates: Pick<Span, 'on' | 'until'>): Span {
  return {
    ...(days.length < count && { days: daysText(days) }),
    ...dates,
    ...(from > 0 && { from: timeText(from) }),
    ...(to < DAY && { to: timeText(to) }),
  }
}

const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** `mon-fri`, `mon,wed`, `mon-wed,sun`. @param days Monday first */
function daysText(days: readonly number[]): string {
  const rows: number[][] = []
  for (const day of days) {
    const row = rows.at(-1)
    if (row !== undefined && day === ((row.at(-1) ?? 0) + 1) % 7) row.push(day)
    else rows.push([day])
  }
  return rows
    .map((row) => row.map((day) => NAMES[day]))
    .map((row) => (row.length > 2 ? `${row[0]}-${row.at(-1)}` : row.join(',')))
    .join(',')
}

function timeText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function dateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
