// Limits guessing of codes: wrong codes are counted per rule and client network, and too many start a lockout.

import type { Override } from '../policy/policy.ts'
import { type Clock, createExpiringMap } from './expiring-map.ts'

export interface Lockouts {
  /** Milliseconds until a code is checked again; 0 without a lockout. */
  remainingMs(key: string): number
  /** Whether a wrong code of this key could be counted. If not, no code may be checked. */
  canCount(key: string): boolean
  /**
   * Counts a wrong code, once for each fingerprint within five seconds.
   * @param fingerprint identifies a repeated request
   * @returns attempts left; at 0 the lockout has begun
   */
  countWrong(key: string, fingerprint: string, limits: Pick<Override, 'attempts' | 'lockoutMs'>): number
  reset(key: string): void
  sweep(): void
}

interface Count {
  readonly wrong: readonly { readonly fingerprint: string; readonly countedAt: number }[]
  readonly lockedUntil: number
}

/** Browsers and proxies repeat a request after a broken connection: that is not a second guess. */
const RESEND_MS = 5000

export function createLockouts(clock: Clock, capacity: number): Lockouts {
  // A count expires a lockout's length after its last wrong code: guessing slowly gains nothing.
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
    reset: (key) => counts.delete(key),
    sweep: () => counts.sweep(),
  }
}
