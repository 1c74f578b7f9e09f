// Sessions: which client may pass which rule, and until when.
import type { Client } from '../policy/client.ts'
import { type Clock, createExpiringMap } from './expiring-map.ts'

export interface Sessions {
  /** For this address, not for its network: other addresses of a /64 have acknowledged nothing. */
  mint(rule: string, client: Client, milliseconds: number): void
  isLive(rule: string, client: Client): boolean
  sweep(): void
}

export function createSessions(clock: Clock, capacity: number): Sessions {
  const live = createExpiringMap<true>(clock, capacity)
  // An address contains no space, so keys are unique.
  const key = (rule: string, { address }: Client) => `${address} ${rule}`
  return {
    mint: (rule, client, milliseconds) => live.set(key(rule, client), true, clock() + milliseconds),
    isLive: (rule, client) => live.get(key(rule, client)) === true,
    sweep: () => live.sweep(),
  }
}
