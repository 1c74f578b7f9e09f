// The result of many rounds: a median with its 95 % bootstrap interval, and the verdict on a target. The resampling is
// seeded, so the same rounds always give the same interval.

export interface Estimate {
  readonly median: number
  /** The ends of the 95 % interval of the median. */
  readonly low: number
  readonly high: number
  readonly rounds: number
}

export type Verdict = 'met' | 'open' | 'missed'

/** With fewer rounds there is no verdict. */
export const LEAST_ROUNDS = 24

const RESAMPLES = 4_000
const SEED = 20_264_800
const TAIL = 0.025

/** NaN without values. */
export function median(values: readonly number[]): number {
  return middleOf(values.toSorted((a, b) => a - b))
}

/** @param values one per round */
export function estimateOf(values: readonly number[]): Estimate {
  const rounds = values.length
  if (rounds === 0 || values.some(Number.isNaN))
    return { median: Number.NaN, low: Number.NaN, high: Number.NaN, rounds }
  const random = seededRandom(SEED)
  const resample = new Float64Array(rounds)
  const medians = new Float64Array(RESAMPLES)
  for (let index = 0; index < RESAMPLES; index++) {
    for (let place = 0; place < rounds; place++) resample[place] = values[Math.floor(random() * rounds)] as number
    medians[index] = middleOf(resample.sort())
  }
  medians.sort()
  const at = (share: number) => medians[Math.round(share * (RESAMPLES - 1))] as number
  return { median: median(values), low: at(TAIL), high: at(1 - TAIL), rounds }
}

/**
 * Met when the whole interval reaches the target, missed when none of it does, open when it straddles the target. Undefined
 * with too few rounds or without a figure.
 */
export function verdictOf(
  { low, high, rounds }: Estimate,
  target: { readonly atLeast: number } | { readonly atMost: number },
): Verdict | undefined {
  if (rounds < LEAST_ROUNDS || Number.isNaN(low)) return undefined
  const [worst, best, least] = 'atLeast' in target ? [low, high, target.atLeast] : [-high, -low, -target.atMost]
  return worst >= least ? 'met' : best < least ? 'missed' : 'open'
}

/** Divides round by round; only complete rounds count. */
export function quotients(dividends: readonly number[], divisors: readonly number[]): number[] {
  const rounds = Math.min(dividends.length, divisors.length)
  return dividends.slice(0, rounds).map((dividend, round) => dividend / (divisors[round] as number))
}

function middleOf(sorted: ArrayLike<number>): number {
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** Numbers from 0 up to 1, the same for each seed: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
