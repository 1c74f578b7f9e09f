// Whole URLs that are too long for a payload, of navigations that can be acknowledged. They are written in the background:
// without one, an acknowledgement leads to the shortened URL.

export interface LongUrl {
  readonly digest: string
  readonly url: string
  /** For how long the verdict can be acknowledged. */
  readonly milliseconds: number
}

export interface LongUrlQueue {
  /** Drops the URL if too many are waiting. */
  add(url: LongUrl): void
  /** A URL that has not been written yet. */
  find(digest: string): string | undefined
  /** Resolves when all have been written or dropped. */
  finish(): Promise<void>
}

/** Of at most 8 KB each. */
const CAPACITY = 500
const PER_WRITE = 50

/** @param write rejects if nothing was written; these URLs are then dropped */
export function createLongUrlQueue(write: (urls: readonly LongUrl[]) => Promise<void>): LongUrlQueue {
  const waiting = new Map<string, LongUrl>()
  let writing: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting.values().take(PER_WRITE)]
      await write(batch).catch(() => {})
      for (const url of batch) if (waiting.get(url.digest) === url) waiting.delete(url.digest)
    }
    writing = undefined
  }

  return {
    add(url) {
      if (waiting.size >= CAPACITY && !waiting.has(url.digest)) return
      waiting.set(url.digest, url)
      writing ??= writeAll()
    },
    find: (digest) => waiting.get(digest)?.url,
    finish: async () => await writing,
  }
}
