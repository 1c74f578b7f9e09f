// When a time of squidGuard is in force, minute by minute of a week, and what the policy can say of it.

const DAY = 24 * 60
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** squidGuard's letters, Sunday first. */
const LETTERS = 'smtwhfa'
const DAY_NAME = /^(?:(?:sun|mon|fri)(?:days?)?|tue(?:sdays?)?|wed(?:nesdays?)?|thu(?:rsdays?)?|sat(?:urdays?)?)$/

/** 1 for each minute of the week, Sunday first, in which it is in force. */
export type Week = Uint8Array

/** A span on some days, in the form of the policy's `when`. */
export interface Span {
  readonly days: string
  readonly from: string
  readonly to: string
}

export const ALWAYS: Week = new Uint8Array(7 * DAY).fill(1)
export const NEVER: Week = new Uint8Array(7 * DAY)

export const both = (one: Week, other: Week): Week => one.map((minute, at) => minute & (other[at] ?? 0))
export const either = (one: Week, other: Week): Week => one.map((minute, at) => minute | (other[at] ?? 0))
export const not = (one: Week): Week => one.map((minute) => 1 - minute)
export const isNever = (one: Week): boolean => !one.includes(1)

const TIMES = /([0-9]{1,2}):([0-9]{2})\s*-\s*([0-9]{1,2}):([0-9]{2})/g

/**
 * Reads what follows `weekly` or `date`, such as `mtwhf 08:00-12:00 13:00-16:30` or `monday, tuesday 08:00-12:00`.
 * @returns what it is not understood for instead
 */
export function parseWeekly(text: string): Week | string {
  const days = parseDays(text.replace(TIMES, ' ').trim())
  if (days === undefined) return 'is not understood'
  const spans = [...text.matchAll(TIMES)].map(([, ...parts]) => {
    const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.map(Number)
    return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute }
  })
  if (spans.length === 0) return 'has no times'
  if (spans.some(({ from, to }) => from >= DAY || to > DAY)) return 'is not understood'
  if (spans.some(({ from, to }) => from >= to)) return 'ends before it begins: squidGuard never applies it'
  const week = new Uint8Array(NEVER)
  for (const { from, to } of spans) {
    for (const day of days) week.fill(1, day * DAY + from, day * DAY + to)
  }
  return week
}

/** Reads `*`, letters such as `mtwhf`, or names such as `monday, tue`; a date that is every day is `*`. */
function parseDays(text: string): readonly number[] | undefined {
  if (/^\*([-.]\*[-.]\*)?$/.test(text)) return [0, 1, 2, 3, 4, 5, 6]
  const words = text.toLowerCase().split(/[\s,]+/)
  const days = words.every((word) => DAY_NAME.test(word))
    ? words.map((word) => DAYS.indexOf(word.slice(0, 3)))
    : words.flatMap((word) => [...word].map((letter) => LETTERS.indexOf(letter)))
  return text === '' || days.includes(-1) ? undefined : days
}

/** Undefined for always. */
export function spansOf(week: Week): readonly Span[] | undefined {
  if (!week.includes(0)) return undefined
  const days = new Map<string, number[]>()
  // The policy's weeks begin on Monday.
  for (const day of [1, 2, 3, 4, 5, 6, 0]) {
    for (const span of spansOfDay(week.subarray(day * DAY, (day + 1) * DAY))) {
      const on = days.get(span) ?? []
      days.set(span, on)
      on.push(day)
    }
  }
  return [...days].map(([span, on]) => {
    const [from = '', to = ''] = span.split(' ')
    return { days: daysText(on), from, to }
  })
}

/** `08:00 16:30` each. */
function spansOfDay(day: Week): readonly string[] {
  const spans: string[] = []
  for (let from = day.indexOf(1); from !== -1; ) {
    const end = day.indexOf(0, from)
    const to = end === -1 ? DAY : end
    spans.push(`${timeText(from)} ${timeText(to)}`)
    from = day.indexOf(1, to)
    if (to === DAY) break
  }
  return spans
}

/** `mon-fri`, `mon,wed`. */
function daysText(days: readonly number[]): string {
  const order = days.map((day) => (day + 6) % 7)
  const isRow = days.length > 2 && order.every((day, at) => day === (order[0] ?? 0) + at)
  const names = days.map((day) => DAYS[day])
  return isRow ? `${names[0]}-${names.at(-1)}` : names.join(',')
}

function timeText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
