// Queries the database about sessions that are not in memory. One query is sent at a time, for all lookups that wait, so
// that queries do not pile up at a slow database. A lookup never joins a query that was sent before it: the result may be
// older than the acknowledgement that the visitor has just made.

export interface SessionLookups {
  /** Whether the database has the session; false after the time limit, or if it does not respond. */
  find(holder: string, rule: string): Promise<boolean>
}

interface Lookup {
  readonly holder: string
  readonly rule: string
  readonly found: Promise<boolean>
  readonly resolve: (isFound: boolean) => void
}

const LOOKUP_TIMEOUT_MS = 200
const HOLDERS_PER_QUERY = 500

/**
 * @param read gives the live sessions of these holders
 * @param has whether the session is among those that have been read
 */
export function createSessionLookups(
  read: (holders: readonly string[]) => Promise<void>,
  has: (holder: string, rule: string) => boolean,
): SessionLookups {
  const waiting = new Map<string, Lookup>()
  let isReading = false

  async function readWaiting(): Promise<void> {
    isReading = true
    while (waiting.size > 0) {
      const batch = [...waiting.entries().take(HOLDERS_PER_QUERY)]
      for (const [key] of batch) waiting.delete(key)
      const holders = new Set(batch.map(([, { holder }]) => holder))
      await read([...holders]).catch(() => {})
      for (const [, { holder, rule, resolve }] of batch) resolve(has(holder, rule))
    }
    isReading = false
  }

  return {
    find(holder, rule) {
      const key = `${holder}\n${rule}`
      const joined = waiting.get(key)
      if (joined !== undefined) return joined.found
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const lookup: Lookup = {
        holder,
        rule,
        found: promise,
        resolve(isFound) {
          clearTimeout(timer)
          resolve(isFound)
        },
      }
      const timer = setTimeout(() => {
        if (waiting.get(key) === lookup) waiting.delete(key)
        resolve(false)
      }, LOOKUP_TIMEOUT_MS)
      waiting.set(key, lookup)
      if (!isReading) void readWaiting()
      return promise
    },
  }
}
