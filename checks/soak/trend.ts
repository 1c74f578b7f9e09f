// Statistics of a time series.

/** A value measured at a time in seconds. */
export interface Sample {
  readonly at: number
  readonly value: number
}

/** Per second: the median of the slopes between all pairs (Theil and Sen), which single outliers do not affect. */
export function slope(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((first, index) =>
    samples
      .slice(index + 1)
      .flatMap(({ at, value }) => (at > first.at ? [(value - first.value) / (at - first.at)] : [])),
  )
  return median(slopes)
}

/** How much the median of the last third is above that of the first. */
export function rise(samples: readonly Sample[]): number {
  const third = Math.ceil(samples.length / 3)
  const middle = (some: readonly Sample[]) => median(some.map(({ value }) => value))
  return middle(samples.slice(-third)) - middle(samples.slice(0, third))
}

/**
 * The share by which the median of the last twelfth of the time is above that of the twelfth after the first sixth: of an hour,
 * of the last five minutes above those after the tenth.
 * @param seconds the whole time
 */
export function growth(samples: readonly Sample[], seconds: number): number {
  const between = (from: number, to: number) =>
    median(samples.filter(({ at }) => at >= from && at < to).map(({ value }) => value))
  const before = between(seconds / 6, seconds / 4)
  return (between((seconds * 11) / 12, Number.POSITIVE_INFINITY) - before) / before
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted[middle] ?? 0
}
