// The keys that the portal opens payloads with, to compare with the one that the engine seals with.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { keyMismatch } from '../../contract/engine-health.ts'
import { loadSection } from '../../settings/load-section.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import type { Environment } from '../../settings/reading.ts'
import { payload } from '../../settings/sections/payload.ts'
import { type Finding, skipped, verdictOn } from '../doctor/finding.ts'
import type { Unknown } from '../unknown.ts'
import { DEFAULT_HOME } from './installation.ts'
import { portalVariables } from './portal-variables.ts'

/** Key ids. */
export type PortalKeys = readonly string[] | Unknown

/** From the portal's variables, otherwise from the file that the shipped deployments give it. */
export function portalKeys(env: Environment): PortalKeys {
  const variables = portalVariables(env)
  const { GATEWAY_CAPTIVE_SHARED_SECRET, GATEWAY_CAPTIVE_SHARED_SECRET_FILE } = variables
  const isNamed = Boolean(GATEWAY_CAPTIVE_SHARED_SECRET?.trim() || GATEWAY_CAPTIVE_SHARED_SECRET_FILE?.trim())
  const home = env.GATEWAY_HOME?.trim() || DEFAULT_HOME
  const file = join(resolve(home, variables.GATEWAY_SECRETS?.trim() || 'secrets'), 'shared-secret')
  if (!isNamed && !existsSync(file)) return { reason: 'the portal’s shared secret is not known here; root can read it' }
  try {
    const { part } = loadSection(
      payload,
      isNamed
        ? { GATEWAY_CAPTIVE_SHARED_SECRET, GATEWAY_CAPTIVE_SHARED_SECRET_FILE }
        : { GATEWAY_CAPTIVE_SHARED_SECRET_FILE: file },
    )
    return [...part.payload.keyring.opening.keys()]
  } catch (error) {
    if (error instanceof ConfigProblems) return { reason: error.problems.join('; ') }
    throw error
  }
}

const UNREPORTED = 'the engine does not report the key that it seals with'
const REMEDY =
  'give engine and portal the same shared secret ([captive_portal] secret and GATEWAY_CAPTIVE_SHARED_SECRET); gatewayctl secret rotate has the steps of a change'

/**
 * @param tried how the engine's key was read
 * @param engineKey the key id that the engine reports; undefined where it reports none
 */
export function secretFinding(tried: string, engineKey: string | undefined, keys: PortalKeys): Finding {
  if (engineKey === undefined) return skipped('secret', tried, UNREPORTED)
  const detail = `the engine seals with the key ${engineKey}`
  if ('reason' in keys) return skipped('secret', tried, `${detail}; ${keys.reason}`)
  const mismatch = keyMismatch(engineKey, keys)
  return verdictOn('secret', tried, mismatch === undefined ? [] : [mismatch], {
    detail: `${detail}, which the portal opens`,
    advice: REMEDY,
  })
}
