// An answer that is good for a while: whoever asks in between, or at once, costs nothing.

/**
 * Asks again only when the last answer is older than so many milliseconds; those who ask at once share one answer.
 * @param clock milliseconds; a step back makes the answer old
 */
export function cacheResult<T>(milliseconds: number, clock: () => number, ask: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined
  let askedAt = 0
  return () => {
    const age = clock() - askedAt
    if (latest === undefined || age < 0 || age >= milliseconds) {
      askedAt = clock()
      latest = ask()
    }
    return latest
  }
}
