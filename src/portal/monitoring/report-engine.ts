// Reports at the start what is wrong with the engine: nothing else fails before a visitor acknowledges.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { keyMismatch } from '../../contract/engine-health.ts'
import type { ReadEngineHealth } from '../engine-client/health.ts'

const RETRY_MS = 10_000

export interface ReportEngineOptions {
  readonly readEngineHealth: ReadEngineHealth
  /** The keys that this portal opens payloads with. */
  readonly keyIds: readonly string[]
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly retryMilliseconds?: number
}

/** Resolves when the engine has responded; an engine that starts later is not reported a second time. */
export async function reportEngine({ readEngineHealth, keyIds, log, ...options }: ReportEngineOptions): Promise<void> {
  const { retryMilliseconds = RETRY_MS } = options
  let health = await readEngineHealth()
  const isLate = health.reason !== undefined
  if (isLate)
    log.warn({ reason: health.reason }, 'the engine is not reachable yet: until it is, no visitor can proceed')
  while (health.reason !== undefined) {
    await sleep(retryMilliseconds, undefined, { ref: false })
    health = await readEngineHealth()
  }
  if (isLate) log.info('the engine is reachable')
  const mismatch = health.keyId === undefined ? undefined : keyMismatch(health.keyId, keyIds)
  if (mismatch !== undefined) log.error(`no page can be shown: ${mismatch} (GATEWAY_CAPTIVE_SHARED_SECRET)`)
}
