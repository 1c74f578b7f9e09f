// A time-limited cache for one asynchronous result.

/**
 * Calls `load` only when the cached result is older than `milliseconds`; concurrent callers share one result.
 * @param clock milliseconds; a step back expires the result
 */
export function cacheResult<T>(milliseconds: number, clock: () => number, load: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined
  let loadedAt = 0
  return () => {
    const age = clock() - loadedAt
    if (cached === undefined || age < 0 || age >= milliseconds) {
      loadedAt = clock()
      cached = load()
    }
    return cached
  }
}
