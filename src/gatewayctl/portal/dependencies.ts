// What the portal and its dependencies report: by `/readyz` where the operations listener is on, otherwise by checks
// that run next to the portal.
import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { loadDatabase } from '../../settings/sections/database.ts'
import { shownAddress } from '../../settings/sections/postgres-url.ts'
import type { Context } from '../context.ts'
import type { Probed } from '../deployment/own-address.ts'
import { opsUrl, type ProbeResult, portalUrl } from '../deployment/probe.ts'
import type { Finding } from '../doctor/finding.ts'
import { parseHealth } from './aup/watch.ts'
import { lossNotice } from './recorded-acceptances.ts'

type ProbeResponse = ProbeResult['urls'][string] | undefined

const DAY_MS = 86_400_000
const checkShape = z.object({ state: z.enum(['ok', 'failing', 'off']), detail: z.string() })
/** Earlier portals report fewer checks. */
const readinessShape = z.object({
  checks: z.object({
    engine: checkShape.optional(),
    secret: checkShape.optional(),
    database: checkShape.optional(),
    certificate: checkShape.optional(),
  }),
})
type Checks = z.output<typeof readinessShape>['checks']

export async function dependencyFindings({ clock }: Context, portal: Probed): Promise<readonly Finding[]> {
  const { variables } = portal
  const [health, certificate] = [portalUrl(variables, '/healthz'), portalUrl(variables, '/ca.crt')]
  const ready = opsUrl(variables, '/readyz')
  const engine = listenerOf(variables.ENGINE_INTERNAL_URL ?? 'https://engine:11225')
  const database = databaseOf(portal)
  const answers = await portal.probe({
    urls: [health, certificate, ready],
    listeners: [engine, database.listener].filter((listener) => listener !== undefined),
  })
  const checks = parseReadiness(answers.urls[ready])
  const notice = await lossNotice(portal)
  return [
    versionFinding(answers.urls[health]),
    engineFinding(engine, checks, answers),
    secretFinding(engine, checks),
    databaseFinding(database, checks, answers),
    ...(notice === undefined ? [] : [{ check: 'acceptances', state: 'warning', detail: notice } as const]),
    certificateFinding(answers.urls[certificate], checks, clock()),
  ]
}

/** Undefined where the operations listener is off. */
function parseReadiness(response: ProbeResponse): Checks | undefined {
  if (typeof response !== 'object') return undefined
  try {
    return readinessShape.parse(JSON.parse(response.body)).checks
  } catch {
    return {}
  }
}

function versionFinding(response: ProbeResponse): Finding {
  const health = typeof response === 'object' ? parseHealth(response.body) : undefined
  if (health === undefined) return { check: 'version', state: 'skipped', detail: '/healthz does not report it' }
  return { check: 'version', state: 'ok', detail: `${health.version} ${health.release_type}`.trim() }
}

/** The portal itself verifies the engine's certificate. */
function engineFinding(listener: string | undefined, checks: Checks | undefined, { listeners }: ProbeResult): Finding {
  const check = 'engine'
  if (listener === undefined) return { check, state: 'off', detail: 'ENGINE_INTERNAL_URL is empty' }
  const reachable: Finding = { check, state: 'ok', detail: `reachable at ${listener}` }
  if (checks?.engine !== undefined) {
    const { state, detail } = checks.engine
    return state === 'ok' ? reachable : { check, state, detail: `${listener}: ${detail}` }
  }
  const reason = listeners[listener]
  return reason === null ? reachable : { check, state: 'failing', detail: `not reachable at ${listener}: ${reason}` }
}

function secretFinding(listener: string | undefined, checks: Checks | undefined): Finding {
  const check = 'secret'
  if (listener === undefined) return { check, state: 'off', detail: 'ENGINE_INTERNAL_URL is empty' }
  if (checks?.secret === undefined) {
    const why = checks === undefined ? 'its operations listener does not respond' : 'it is of an earlier version'
    return { check, state: 'skipped', detail: `the portal does not compare it with the engine's: ${why}` }
  }
  const { state, detail } = checks.secret
  return { check, state: state === 'off' ? 'skipped' : state, detail }
}

/** The part of the database's URL that may be shown. */
function databaseOf({ variables }: Probed): { readonly place: string; readonly listener?: string } {
  try {
    const { GATEWAY_CAPTIVE_DATABASE_URL } = variables
    const location = loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL })
    if (location.dialect === 'sqlite') return { place: `SQLite, ${location.path}` }
    const { server } = location
    const address = shownAddress(server)
    const place = `PostgreSQL at ${address}`
    return server.host.startsWith('/') ? { place } : { place, listener: address }
  } catch {
    return { place: 'named by a file that only the portal reads' }
  }
}

function databaseFinding(
  { place, listener }: ReturnType<typeof databaseOf>,
  checks: Checks | undefined,
  { listeners }: ProbeResult,
): Finding {
  const reason = listener === undefined ? null : (listeners[listener] ?? null)
  if (reason !== null) return { check: 'database', state: 'failing', detail: `${place}: ${reason}` }
  if (checks === undefined) {
    // The portal would not have started without its ledger.
    const state = listener === undefined && !place.startsWith('SQLite') ? 'skipped' : 'ok'
    return { check: 'database', state, detail: place }
  }
  return checks.database?.state === 'ok'
    ? { check: 'database', state: 'ok', detail: place }
    : {
        check: 'database',
        state: 'failing',
        detail: `${place}: ${checks.database?.detail ?? '/readyz does not report it'}`,
      }
}

function certificateFinding(response: ProbeResponse, checks: Checks | undefined, now: number): Finding {
  const check = 'certificate'
  if (typeof response !== 'object' || response.status !== 200) {
    return checks?.certificate?.state === 'failing'
      ? { check, state: 'failing', detail: checks.certificate.detail }
      : { check, state: 'off', detail: 'no interception CA is published' }
  }
  try {
    const { validToDate } = new X509Certificate(response.body)
    const days = Math.floor((validToDate.getTime() - now) / DAY_MS)
    const detail = `${days} days left, until ${validToDate.toISOString()}`
    return { check, state: days < 0 ? 'failing' : 'ok', detail }
  } catch {
    return { check, state: 'failing', detail: '/ca.crt is not a certificate' }
  }
}

function listenerOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  if (parsed === null) return undefined
  return `${parsed.hostname}:${parsed.port || (parsed.protocol === 'http:' ? '80' : '443')}`
}
