// A histogram as plain numbers: an observation takes well under a microsecond.

export interface Histogram {
  /** Upper bounds of the buckets, in seconds, ascending. */
  readonly bounds: readonly number[]
  /** Observations per bucket; the last entry counts those above all bounds. */
  readonly counts: number[]
  /** Seconds. */
  sum: number
}

export function emptyHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Array(bounds.length + 1).fill(0), sum: 0 }
}

export function observe(durations: Histogram, milliseconds: number): void {
  const { bounds, counts } = durations
  const seconds = milliseconds / 1000
  let bucket = 0
  while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++
  counts[bucket] = (counts[bucket] as number) + 1
  durations.sum += seconds
}
