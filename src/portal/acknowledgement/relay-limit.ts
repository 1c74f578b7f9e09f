// Limits concurrent acknowledgements, so that a slow engine or database does not slow down pages, and shares the slots: a
// verdict has one request in flight and one waiting, and a client address holds at most half of all slots.
import type { EventEmitter } from 'node:events'
import type { Verdict } from '../../contract/verdict.ts'
import type { Capacity } from '../capacity.ts'

export interface RelayLoad {
  /** Acknowledgements in flight: each holds a slot. */
  readonly relays: number
  /** Acknowledgements that wait for an earlier one of the same verdict. They hold no slot. */
  readonly relaysWaiting: number
  /** Acknowledgements rejected by a limit, since the start. */
  readonly relaysRefused: number
}

interface RelayRequest {
  readonly verdict: Pick<Verdict, 'reference'>
  /** Addresses of one network share their slots: an IPv4 address, an IPv6 /64; undefined when unknown. */
  readonly clientNetwork: string | undefined
  /** Emits `close` when the browser disconnects. */
  readonly connection: Pick<EventEmitter, 'once' | 'off'>
}

/** The limit that was reached. */
export type FullLimit = 'engine' | 'client address'
/**
 * Why a request got no slot: a limit was reached; or, while it waited, a newer request of the same verdict replaced it, its
 * browser disconnected, or the portal stopped.
 */
export type Rejection = FullLimit | 'superseded' | 'abandoned' | 'stopping'

type Admission =
  /** `release` frees the slot. Call it once. */
  | { readonly release: () => void; readonly rejection?: undefined }
  | { readonly rejection: Rejection; readonly release?: undefined }

export interface RelayLimit {
  /** Resolves when the request gets a slot or is rejected. Call it before anything is recorded. */
  admit(request: RelayRequest): Promise<Admission>
  /** Rejects waiting requests, now and later: they could outlast the shutdown timeout. */
  stopWaiting(): void
  load(): RelayLoad
}

/** Ends the wait of a request: it is admitted unless a limit is reached, or rejected. */
type Settle = (result: 'admit' | Rejection) => void

/** @param shed incremented here, by limit */
export function createRelayLimit(
  capacity: Pick<Capacity, 'relays' | 'relaysPerClient'>,
  shed: Record<FullLimit, number>,
): RelayLimit {
  let relays = 0
  let isStopping = false
  const relaysByClient = new Map<string, number>()
  const inFlight = new Set<string>()
  const waiting = new Map<string, Settle>()

  return {
    async admit({ verdict, clientNetwork = '', connection }) {
      const { reference } = verdict
      if (!inFlight.has(reference)) return occupy(reference, clientNetwork)
      if (isStopping) return { rejection: 'stopping' }
      waiting.get(reference)?.('superseded')
      return new Promise((resolve) => {
        const settle: Settle = (result) => {
          waiting.delete(reference)
          connection.off('close', abandon)
          resolve(result === 'admit' ? occupy(reference, clientNetwork) : { rejection: result })
        }
        const abandon = () => settle('abandoned')
        connection.once('close', abandon)
        waiting.set(reference, settle)
      })
    },
    stopWaiting() {
      isStopping = true
      for (const settle of [...waiting.values()]) settle('stopping')
    },
    load: () => ({
      relays,
      relaysWaiting: waiting.size,
      relaysRefused: shed.engine + shed['client address'],
    }),
  }

  function occupy(reference: string, client: string): Admission {
    const ofClient = relaysByClient.get(client) ?? 0
    const full = fullLimit(ofClient)
    if (full !== undefined) {
      shed[full]++
      return { rejection: full }
    }
    relays++
    relaysByClient.set(client, ofClient + 1)
    inFlight.add(reference)
    const release = () => {
      relays--
      const rest = (relaysByClient.get(client) as number) - 1
      if (rest === 0) relaysByClient.delete(client)
      else relaysByClient.set(client, rest)
      inFlight.delete(reference)
      waiting.get(reference)?.('admit')
    }
    return { release }
  }

  function fullLimit(ofClient: number): FullLimit | undefined {
    if (relays >= capacity.relays) return 'engine'
    return ofClient >= capacity.relaysPerClient ? 'client address' : undefined
  }
}
