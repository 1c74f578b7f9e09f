// What a row of measurements does over time.

/** Taken at a time in seconds. */
export interface Sample {
  readonly at: number
  readonly value: number
}

/** Per second: the median of the slopes between all pairs (Theil and Sen), which single outliers do not move. */
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

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted[middle] ?? 0
}
