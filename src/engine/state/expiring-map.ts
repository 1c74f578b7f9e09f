// A bounded map with a time to live per entry: when it is full, the oldest entry is evicted.

import type { Clock } from '../clock.ts'

export interface ExpiringMap<Value> {
  /** The value, unless it is missing or expired. */
  get(key: string): Value | undefined
  /** Stores a value until `expiresAt` (milliseconds); evicts the oldest entry when the map is full. */
  set(key: string, value: Value, expiresAt: number): void
  delete(key: string): void
  /** Deletes expired entries. */
  sweep(): void
  readonly size: number
}

export function createExpiringMap<Value>(clock: Clock, capacity: number): ExpiringMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.expiresAt > clock()) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, value, expiresAt) {
      entries.delete(key)
      if (entries.size >= capacity) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest)
          break
        }
      }
      entries.set(key, { value, expiresAt })
    },
    delete: (key) => void entries.delete(key),
    sweep() {
      const now = clock()
      for (const [key, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(key)
    },
    get size() {
      return entries.size
    },
  }
}
