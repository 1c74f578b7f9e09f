// Whether the portal has what it needs, part by part: for alerts and people. Routing goes by `/healthz`, because block
// pages go on without engine and database.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CurrentCa } from '../../certificate/watch.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { cacheResult } from '../../observability/cache-result.ts'
import type { ReachEngine } from '../relay/engine-client/reachability.ts'

interface Check {
  /** Off is meant to be so. */
  readonly state: 'ok' | 'wrong' | 'off'
  readonly says: string
}

export interface Readiness {
  readonly ready: boolean
  readonly checks: {
    readonly engine: Check
    readonly database: Check
    readonly certificate: Check & { /** Whole days, rounded down. */ readonly daysLeft?: number }
    readonly eventLoop: Check & { readonly delayMilliseconds: number }
  }
}

export interface ReadinessDependencies {
  /** Undefined when acknowledgements are turned off. */
  readonly reachEngine: ReachEngine | undefined
  readonly ledger: Pick<Ledger, 'ping'>
  /** Undefined when nothing is inspected. */
  readonly publishedCa: CurrentCa | undefined
  /** The longest that the event loop stood still since it was asked last, in milliseconds. */
  readonly eventLoopDelay: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** However often it is asked, engine and database are asked once in this time. */
export const CACHE_MILLISECONDS = 5_000
const PATIENCE_MILLISECONDS = 2_500
const LONGEST_DELAY_MILLISECONDS = 1_000
const DAY_MILLISECONDS = 86_400_000

export function createReadiness(dependencies: ReadinessDependencies): () => Promise<Readiness> {
  const { reachEngine, ledger, publishedCa, eventLoopDelay, clock } = dependencies
  return cacheResult(CACHE_MILLISECONDS, clock, async () => {
    const [engine, database] = await Promise.all([checkEngine(reachEngine), checkDatabase(ledger)])
    const certificate = checkCertificate(publishedCa, clock())
    const checks = { engine, database, certificate, eventLoop: checkEventLoop(eventLoopDelay()) }
    return { ready: Object.values(checks).every(({ state }) => state !== 'wrong'), checks }
  })
}

async function checkEngine(reachEngine: ReachEngine | undefined): Promise<Check> {
  if (reachEngine === undefined) return { state: 'off', says: 'ENGINE_INTERNAL_URL is empty' }
  const fault = await reachEngine()
  return fault === undefined ? { state: 'ok', says: 'reachable' } : { state: 'wrong', says: `not reachable: ${fault}` }
}

async function checkDatabase(ledger: Pick<Ledger, 'ping'>): Promise<Check> {
  const enough = new AbortController()
  const late = sleep(PATIENCE_MILLISECONDS, 'late', { signal: enough.signal, ref: false }).catch(() => 'late')
  const fault = await Promise.race([ledger.ping().then(() => undefined, reasonOf), late])
  enough.abort()
  if (fault === undefined) return { state: 'ok', says: 'acceptances can be recorded' }
  return { state: 'wrong', says: fault === 'late' ? 'no answer in time' : fault }
}

function checkCertificate(publishedCa: CurrentCa | undefined, now: number): Readiness['checks']['certificate'] {
  if (publishedCa === undefined) return { state: 'off', says: 'GATEWAY_CAPTIVE_SSL_BUMP is off' }
  const published = publishedCa()
  if (published === undefined) return { state: 'wrong', says: 'no interception CA that is valid is published' }
  const { notAfter } = published.certificate
  const daysLeft = Math.floor((notAfter - now) / DAY_MILLISECONDS)
  return { state: 'ok', says: `valid until ${new Date(notAfter).toISOString()}`, daysLeft }
}

function checkEventLoop(delay: number): Readiness['checks']['eventLoop'] {
  const delayMilliseconds = Math.round(delay)
  const says = `stood still for at most ${delayMilliseconds} ms`
  return { state: delay < LONGEST_DELAY_MILLISECONDS ? 'ok' : 'wrong', says, delayMilliseconds }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
