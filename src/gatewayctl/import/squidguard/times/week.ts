// The minutes of a week.

export const DAY = 24 * 60
export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]

/** A bit for each minute of the week, Sunday first, in which something is in force; the first one is the lowest. */
export type Week = bigint

export const NO_WEEK: Week = 0n
export const ALL_WEEK: Week = minutes({ from: 0, to: 7 * DAY })

export interface TimesOfDay {
  /** Minutes since midnight; `to` is excluded, and greater. */
  readonly from: number
  readonly to: number
}

/** Of these times on these days, Sunday is 0. */
export function weekOn(days: readonly number[], times: readonly TimesOfDay[]): Week {
  const ofDay = times.reduce((all, one) => all | minutes(one), 0n)
  return days.reduce((week, day) => week | (ofDay << BigInt(day * DAY)), NO_WEEK)
}

function minutes({ from, to }: TimesOfDay): bigint {
  return ((1n << BigInt(to - from)) - 1n) << BigInt(from)
}

export interface WeekSpan extends TimesOfDay {
  /** Monday first, as the policy's weeks begin. */
  readonly days: readonly number[]
}

/** The spans of the week, each on all of its days. */
export function spansOfWeek(week: Week): readonly WeekSpan[] {
  const spans = new Map<string, TimesOfDay & { readonly days: number[] }>()
  for (const day of [1, 2, 3, 4, 5, 6, 0]) {
    for (const { from, to } of spansOfDay(week, day)) {
      const key = `${from} ${to}`
      const span = spans.get(key) ?? { from, to, days: [] }
      spans.set(key, span)
      span.days.push(day)
    }
  }
  return [...spans.values()]
}

function spansOfDay(week: Week, day: number): readonly TimesOfDay[] {
  const bits = BigInt.asUintN(DAY, week >> BigInt(day * DAY)).toString(2)
  const minutes = [...bits].toReversed().join('')
  return [...minutes.matchAll(/1+/g)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }))
}
