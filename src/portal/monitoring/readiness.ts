// Whether each of the portal's dependencies is available, for alerts and people. Load balancers use `/healthz` instead,
// because block pages need neither engine nor database.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CurrentCa } from '../../certificate/watch.ts'
import { keyMismatch } from '../../contract/engine-health.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { cacheResult } from '../../observability/cache-result.ts'
import type { EngineHealth, ReadEngineHealth } from '../engine-client/health.ts'

interface Check {
  /** `off`: turned off by configuration, or it cannot be known. */
  readonly state: 'ok' | 'failing' | 'off'
  readonly detail: string
}

export interface Readiness {
  readonly ready: boolean
  readonly checks: {
    readonly engine: Check
    /** Whether the engine seals with a key that this portal has. */
    readonly secret: Check
    readonly database: Check
    readonly certificate: Check & { /** Whole days, rounded down. */ readonly daysLeft?: number }
    readonly eventLoop: Check & { readonly delayMilliseconds: number }
  }
}

export interface ReadinessDependencies {
  /** Undefined when acknowledgements are turned off. */
  readonly readEngineHealth: ReadEngineHealth | undefined
  /** The keys that this portal opens payloads with. */
  readonly keyIds: readonly string[]
  readonly ledger: Pick<Ledger, 'ping'>
  /** Undefined when nothing is inspected. */
  readonly publishedCa: CurrentCa | undefined
  /** The longest event loop delay since the last call, in milliseconds. */
  readonly eventLoopDelay: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The engine is checked at most once in this time. */
export const CACHE_MS = 5_000
/** Each check writes. */
const DATABASE_CACHE_MS = 10_000
const DATABASE_TIMEOUT_MS = 2_500
const LONGEST_DELAY_MS = 1_000
const DAY_MS = 86_400_000

export function createReadiness(dependencies: ReadinessDependencies): () => Promise<Readiness> {
  const { readEngineHealth, keyIds, ledger, publishedCa, eventLoopDelay, clock } = dependencies
  const readDatabase = cacheResult(DATABASE_CACHE_MS, clock, () => checkDatabase(ledger))
  return cacheResult(CACHE_MS, clock, async () => {
    const [health, database] = await Promise.all([readEngineHealth?.(), readDatabase()])
    const engine = checkEngine(health)
    const secret = checkSecret(health, keyIds)
    const certificate = checkCertificate(publishedCa, clock())
    const checks = { engine, secret, database, certificate, eventLoop: checkEventLoop(eventLoopDelay()) }
    return { ready: Object.values(checks).every(({ state }) => state !== 'failing'), checks }
  })
}

const NO_ENGINE: Check = { state: 'off', detail: 'ENGINE_INTERNAL_URL is empty' }

/** @param health undefined when acknowledgements are turned off */
function checkEngine(health: EngineHealth | undefined): Check {
  if (health === undefined) return NO_ENGINE
  const { reason } = health
  return reason === undefined
    ? { state: 'ok', detail: 'reachable' }
    : { state: 'failing', detail: `not reachable: ${reason}` }
}

function checkSecret(health: EngineHealth | undefined, keyIds: readonly string[]): Check {
  if (health === undefined) return NO_ENGINE
  if (health.reason !== undefined) return { state: 'off', detail: 'not known: the engine is not reachable' }
  if (health.keyId === undefined) return { state: 'off', detail: 'not known: the engine does not report its key' }
  const mismatch = keyMismatch(health.keyId, keyIds)
  return mismatch === undefined
    ? { state: 'ok', detail: `the engine seals with the key ${health.keyId}, which this portal opens` }
    : { state: 'failing', detail: mismatch }
}

async function checkDatabase(ledger: Pick<Ledger, 'ping'>): Promise<Check> {
  const finished = new AbortController()
  const late = sleep(DATABASE_TIMEOUT_MS, 'late', { signal: finished.signal, ref: false }).catch(() => 'late')
  const fault = await Promise.race([ledger.ping().then(() => undefined, reasonOf), late])
  finished.abort()
  if (fault === undefined) return { state: 'ok', detail: 'acceptances can be recorded' }
  return { state: 'failing', detail: fault === 'late' ? 'timed out' : fault }
}

function checkCertificate(publishedCa: CurrentCa | undefined, now: number): Readiness['checks']['certificate'] {
  if (publishedCa === undefined) return { state: 'off', detail: 'GATEWAY_CAPTIVE_SSL_BUMP is off' }
  const published = publishedCa()
  if (published === undefined) return { state: 'failing', detail: 'no valid interception CA is published' }
  const { notAfter } = published.certificate
  const daysLeft = Math.floor((notAfter - now) / DAY_MS)
  return { state: 'ok', detail: `valid until ${new Date(notAfter).toISOString()}`, daysLeft }
}

function checkEventLoop(delay: number): Readiness['checks']['eventLoop'] {
  const delayMilliseconds = Math.round(delay)
  const detail = `blocked for at most ${delayMilliseconds} ms`
  return { state: delay < LONGEST_DELAY_MS ? 'ok' : 'failing', detail, delayMilliseconds }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
