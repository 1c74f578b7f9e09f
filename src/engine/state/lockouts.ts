// How often a code may be guessed: wrong codes are counted per rule and client network, and enough of them lock it out.

import type { Override } from '../policy/policy.ts'
import { type Clock, createExpiringMap } from './expiring-map.ts'

export interface Lockouts {
  /** Milliseconds until a code is looked at again; 0 when nobody is locked out. */
  remainingMs(key: string): number
  /** Whether a wrong code of this key could be counted. When not, no code may be checked. */
  canCount(key: string): boolean
  /**
   * Counts a wrong code, once for each fingerprint within five seconds.
   * @param fingerprint tells the very same request from another one
   * @returns attempts left; with none left the lockout has begun
   */
  countWrong(key: string, fingerprint: string, limits: Pick<Override, 'attempts' | 'lockoutMs'>): number
  forget(key: string): void
  sweep(): void
}

interface Count {
  readonly wrong: readonly { readonly fingerprint: string; readonly countedAt: number }[]
  readonly lockedUntil: number
}

/** Browsers and proxies re-send a request after a broken connection: that is no second guess. */
const RESEND_MS = 5000

export function createLockouts(clock: Clock, capacity: number): Lockouts {
  // Counts that nobody adds to are forgotten after the time of a lockout: guessing slowly gains nothing over being locked out.
  const counts = createExpiringMap<Count>(clock, capacity)
  return {
    remainingMs: (key) => Math.max(0, (counts.get(key)?.lockedUntil ?? 0) - clock()),
    canCount: (key) => counts.hasRoomFor(key),
    countWrong(key, fingerprint, { attempts, lockoutMs }) {
      const now = clock()
      const before = counts.get(key)?.wrong ?? []
      const isResent = before.some((one) => one.fingerprint === fingerprint && now - one.countedAt < RESEND_MS)
      const wrong = isResent ? before : [...before, { fingerprint, countedAt: now }]
      if (!isResent) {
        const until = now + lockoutMs
        counts.set(key, { wrong, lockedUntil: wrong.length >= attempts ? until : 0 }, until)
      }
      return Math.max(0, attempts - wrong.length)
    },
    forget: (key) => counts.delete(key),
    sweep: () => counts.sweep(),
  }
}
