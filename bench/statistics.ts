// What many measurements come to: the one in the middle, and how far they lie apart.

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

/** Each of the first by its neighbour of the same round; only whole rounds count. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): number[] {
  const rounds = Math.min(dividends.length, divisors.length)
  return dividends.slice(0, rounds).map((dividend, round) => dividend / (divisors[round] as number))
}
