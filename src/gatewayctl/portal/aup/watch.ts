// Whether a portal that was just started stays up, according to its runtime and its `/healthz`.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { portalUrl } from '../../deployment/probe.ts'
import { type Instance, type PortalRuntime, SWITCH } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'

export interface Expected {
  readonly enabled: boolean
  /** Paths as the portal sees them, with the SHA-256 of their text. */
  readonly texts: Readonly<Record<string, string>>
}

export interface Trouble {
  /** The end of a sentence: "portal-1 ended with status 2". */
  readonly reason: string
  readonly logLines: readonly string[]
}

/** Before its first response a portal opens its ledger, which may be busy. */
const PATIENCE_SECONDS = 30
const INTERVAL_MS = 250
const LOG_LINES = 15
/** Failed checks in a row that are tolerated once the portal was healthy. */
const MISSES = 3

const healthShape = z.object({ status: z.literal('ok'), version: z.string(), release_type: z.string() })

/**
 * Watches until `/healthz` has been healthy for `steadySeconds`.
 * @returns the first problem; undefined if there was none
 * @throws the reason of `interrupted`
 */
export async function watchPortal(
  runtime: PortalRuntime,
  expected: Expected | undefined,
  steadySeconds: number,
  interrupted?: AbortSignal,
): Promise<Trouble | undefined> {
  const startedAt = performance.now()
  const first = new Map<string, string>()
  let goodSince: number | undefined
  let misses = 0
  for (;;) {
    interrupted?.throwIfAborted()
    const instances = await runtime.instances()
    if (instances.length === 0) return { reason: 'there is no container of it', logLines: [] }
    for (const instance of instances) {
      const reason = ended(instance, first.get(instance.name))
      if (reason !== undefined) return await trouble(instance, reason)
      first.set(instance.name, instance.startedAt)
    }
    const mismatches = await Promise.all(instances.map((instance) => mismatch(instance, expected)))
    const at = mismatches.findIndex((reason) => reason !== undefined)
    const bad = instances[at]
    const { reason = '', lasting } = mismatches[at] ?? {}
    const now = performance.now()
    if (bad === undefined) {
      goodSince ??= now
      misses = 0
      if (now - goodSince >= steadySeconds * 1000) return undefined
    } else {
      misses++
      const patience = goodSince === undefined ? now - startedAt < PATIENCE_SECONDS * 1000 : misses < MISSES
      if (lasting || !patience) return await trouble(bad, reason)
    }
    await sleep(INTERVAL_MS)
  }
}

/** Checks once what is wrong with a portal that was started earlier. */
export async function portalFault(instances: readonly Instance[]): Promise<string | undefined> {
  if (instances.length === 0) return 'there is no container of the portal'
  for (const instance of instances) {
    const reason = down(instance) ?? (await mismatch(instance, undefined))?.reason
    if (reason !== undefined) return `${instance.name} ${reason}`
  }
  return undefined
}

async function trouble(instance: Instance, reason: string): Promise<Trouble> {
  return { reason: `${instance.name} ${reason}`, logLines: await instance.lastLogLines(LOG_LINES) }
}

/** Why the instance has not stayed up. */
function ended(instance: Instance, startedAt: string | undefined): string | undefined {
  const isAnother = startedAt !== undefined && startedAt !== instance.startedAt
  return instance.restarts > 0 || isAnother ? 'keeps being started again' : down(instance)
}

function down({ running, status, exitCode, health }: Instance): string | undefined {
  // A container or service that is still starting is not down.
  if (!running && !/^(created|activating \(start)/.test(status)) return `is ${status}, with exit status ${exitCode}`
  return health === 'unhealthy' ? 'is unhealthy' : undefined
}

async function mismatch(
  instance: Instance,
  expected: Expected | undefined,
): Promise<{ readonly reason: string; readonly lasting?: boolean } | undefined> {
  const url = portalUrl(instance.variables, '/healthz')
  try {
    const { urls, files } = await instance.probe({ urls: [url], files: Object.keys(expected?.texts ?? {}) })
    const answer = urls[url]
    if (typeof answer !== 'object' || answer.status !== 200 || parseHealth(answer.body) === undefined) {
      const said = typeof answer === 'object' ? `responds with ${answer.status}` : `does not respond: ${answer}`
      return { reason: `${said} (/healthz)` }
    }
    if (expected === undefined) return undefined
    const enabled = instance.variables[SWITCH] === 'true'
    if (enabled !== expected.enabled) {
      return {
        reason: `does not have ${SWITCH}=${expected.enabled}: does it read its variables from .env?`,
        lasting: true,
      }
    }
    const other = Object.entries(expected.texts).find(([path, digest]) => files[path] !== digest)
    if (other === undefined) return undefined
    return { reason: `sees a different ${other[0]}: is the folder with the texts mounted there?`, lasting: true }
  } catch (error) {
    if (error instanceof Failure) return { reason: `does not respond: ${error.message}` }
    throw error
  }
}

/** The health document; undefined if it is invalid or unhealthy. */
export function parseHealth(body: string): z.infer<typeof healthShape> | undefined {
  try {
    return healthShape.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}
