// The sessions that this engine has in memory, which decisions read. The database is authoritative: the memory follows it.
import type { Clock } from '../../clock.ts'
import { createExpiringMap } from '../expiring-map.ts'

export interface StoredSession {
  readonly holder: string
  readonly rule_name: string
  /** Milliseconds since the epoch, by the database's clock. */
  readonly expires_at: number | string
}

export interface SessionMemory {
  has(holder: string, rule: string): boolean
  /** Adds or extends these sessions, and deletes those that have ended. */
  apply(sessions: readonly StoredSession[]): void
  clear(): void
  sweep(): void
}

/** About 30 MB. A session that was evicted is looked up again. */
const CAPACITY = 200_000

/** @param now by the database's clock */
export function createSessionMemory(now: Clock): SessionMemory {
  let live = createExpiringMap<true>(now, CAPACITY)
  // Neither part has a line break.
  const keyOf = (holder: string, rule: string) => `${holder}\n${rule}`
  return {
    has: (holder, rule) => live.get(keyOf(holder, rule)) === true,
    apply(sessions) {
      for (const { holder, rule_name, expires_at } of sessions) {
        const key = keyOf(holder, rule_name)
        if (Number(expires_at) > now()) live.set(key, true, Number(expires_at))
        else live.delete(key)
      }
    },
    clear() {
      live = createExpiringMap<true>(now, CAPACITY)
    },
    sweep: () => live.sweep(),
  }
}
