// The engine, as far as it can be reached from here: its clock, and the secret that it shares with the portal. A verdict is
// valid for a window of time, so the clocks of portal and engine have to agree.
import { readFileSync } from 'node:fs'
import { keyIdOf } from '../../../contract/engine-health.ts'
import { secretFinding } from '../../deployment/portal-keys.ts'
import { clockDifference, clockFinding } from '../../doctor/clock-difference.ts'
import { type Finding, skipped } from '../../doctor/finding.ts'
import { type Response, send } from '../../doctor/request.ts'
import type { Deployment } from './deployment.ts'

const OFF = 'ENGINE_INTERNAL_URL is empty: acknowledgements are off'

export async function checkClocks(deployment: Deployment, clock: () => number): Promise<readonly Finding[]> {
  const { address, requestSecure, engine } = deployment
  const portal = await clockDifference(() => requestSecure('/healthz'), clock)
  const portalFinding = clockFinding(
    'clock',
    `the Date of ${address.baseUrl}/healthz, compared with this machine’s clock`,
    portal,
  )
  const { url } = engine
  if (url === undefined) return [portalFinding, skipped('clock-engine', 'the engine', OFF)]
  const tried = `the Date of ${url.origin}, compared with the portal’s`
  try {
    const there = await clockDifference(() => requestHealth(deployment, url), clock)
    const difference = portal === undefined || there === undefined ? undefined : there - portal
    return [portalFinding, clockFinding('clock-engine', tried, difference)]
  } catch (error) {
    return [portalFinding, skipped('clock-engine', tried, unreachable(error))]
  }
}

export async function checkSecret(deployment: Deployment): Promise<Finding> {
  const { engine, portalKeys } = deployment
  const { url } = engine
  if (url === undefined) return skipped('secret', 'the engine', OFF)
  const tried = `the key that ${url.origin} seals with, compared with those of the portal’s shared secret`
  try {
    const { body } = await requestHealth(deployment, url)
    return secretFinding(tried, keyIdOf(body.toString()), portalKeys)
  } catch (error) {
    return skipped('secret', tried, unreachable(error))
  }
}

/** Neither secret nor personal: verifying the engine's certificate is the portal's task. */
function requestHealth({ engine, roots }: Deployment, url: URL): Promise<Response> {
  const own = engine.caFile === undefined ? roots : [readFileSync(engine.caFile, 'utf8')]
  return send({ url: new URL('/healthz', url), roots: own })
}

function unreachable(error: unknown): string {
  return `${(error as Error).message}; this is normal outside its network`
}
