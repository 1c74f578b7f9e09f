// The variables of portal and services: from the environment, otherwise from the gateway's folder.
import { existsSync } from 'node:fs'
import type { Environment } from '../../settings/reading.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { DEFAULT_HOME, type OwnFile, readServiceVariables } from './installation.ts'

export const PORTAL_VARIABLES = `
Variables that the environment does not set are read from the file .env in
GATEWAY_HOME (default: /etc/gateway), if it exists.`

/**
 * @param services whose own files count, too
 * @throws {Failure} for a GATEWAY_HOME that is missing or unreadable
 */
export function portalVariables(env: Environment, ...services: readonly OwnFile[]): Environment {
  const given = env.GATEWAY_HOME?.trim()
  if (given && !existsSync(given)) {
    throw new Failure(`there is no folder ${given}; GATEWAY_HOME names the folder of the gateway`, EXIT_MISUSED)
  }
  const stored = readServiceVariables(given || DEFAULT_HOME, services)
  // A secret is set by its variable or by its _FILE variable, not by both.
  const isSet = (name: string) => Boolean(env[name]?.trim())
  const unset = Object.entries(stored).filter(
    ([name]) => !isSet(name) && !isSet(`${name}_FILE`) && !isSet(name.replace(/_FILE$/, '')),
  )
  return { ...env, ...Object.fromEntries(unset) }
}
