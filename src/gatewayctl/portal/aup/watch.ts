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
  /** The predicate of a sentence: "is unhealthy". */
  readonly reason: string
  readonly logLines: readonly string[]
}

/** Before its first response a portal opens its ledger, which may be busy. */
const PATIENCE_SECONDS = 30
const INTERVAL_MS = 250
const LOG_LINES = 15
const FEW_LOG_LINES = 5
/** Failed checks in a row that are tolerated once the portal was healthy. */
const MISSES = 3

const logLineShape = z.object({
  msg: z.string(),
  reason: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
})
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
export async function portalTrouble(instances: readonly Instance[]): Promise<Trouble | undefined> {
  if (instances.length === 0) return { reason: 'there is no container of the portal', logLines: [] }
  for (const instance of instances) {
    const reason = down(instance) ?? (await healthFault(instance))
    if (reason === undefined) continue
    const again = instance.restarts > 0 ? `; it was restarted ${instance.restarts} times` : ''
    const { logLines } = await trouble(instance, reason)
    return { reason: `${instance.name} ${reason}${again}`, logLines: relevantLines(logLines) }
  }
  return undefined
}

/** The problems of a configuration, as it reported them last; otherwise the last lines. */
function relevantLines(logLines: readonly string[]): readonly string[] {
  const at = logLines.findLastIndex((line) => line.startsWith('The configuration has '))
  return at < 0 ? logLines.slice(-FEW_LOG_LINES).map(summary) : logLines.slice(at)
}

/** The message of a log line, and that of its error; any other line unchanged. */
function summary(line: string): string {
  try {
    const { msg, reason, err } = logLineShape.parse(JSON.parse(line))
    return [msg, reason ?? err?.message].filter((part) => part !== undefined).join(': ')
  } catch {
    return line
  }
}

async function trouble(instance: Instance, reason: string): Promise<Trouble> {
  return { reason: `${instance.name} ${reason}`, logLines: await instance.lastLogLines(LOG_LINES) }
}

/** Why the instance has not stayed up. */
function ended(instance: Instance, startedAt: string | undefined): string | undefined {
  const isAnother = startedAt !== undefined && startedAt !== instance.startedAt
  return instance.restarts > 0 || isAnother ? 'keeps restarting' : down(instance)
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
  const files = Object.keys(expected?.texts ?? {})
  const { fault, digests } = await probeHealth(instance, files)
  if (fault !== undefined || expected === undefined) return fault === undefined ? undefined : { reason: fault }
  const enabled = instance.variables[SWITCH] === 'true'
  if (enabled !== expected.enabled) {
    return {
      reason: `does not have ${SWITCH}=${expected.enabled}: does it read its variables from .env?`,
      lasting: true,
    }
  }
  const other = Object.entries(expected.texts).find(([path, digest]) => digests[path] !== digest)
  if (other === undefined) return undefined
  return { reason: `sees a different ${other[0]}: is the folder with the texts mounted there?`, lasting: true }
}

/** What is wrong with its `/healthz`, as the predicate of a sentence; undefined if nothing is. */
export async function healthFault(portal: Pick<Instance, 'variables' | 'probe'>): Promise<string | undefined> {
  return (await probeHealth(portal, [])).fault
}

async function probeHealth(
  { variables, probe }: Pick<Instance, 'variables' | 'probe'>,
  files: readonly string[],
): Promise<{ readonly fault: string | undefined; readonly digests: Readonly<Record<string, string | null>> }> {
  const url = portalUrl(variables, '/healthz')
  try {
    const { urls, files: digests } = await probe({ urls: [url], files })
    const response = urls[url]
    if (typeof response === 'object' && response.status === 200 && parseHealth(response.body) !== undefined) {
      return { fault: undefined, digests }
    }
    const fault = typeof response === 'object' ? `responds with ${response.status}` : `does not respond: ${response}`
    return { fault: `${fault} (/healthz)`, digests }
  } catch (error) {
    if (error instanceof Failure) return { fault: `does not respond: ${error.message}`, digests: {} }
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
