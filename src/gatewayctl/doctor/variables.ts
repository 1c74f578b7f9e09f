// Without any variable a doctor checks the defaults, and its other findings are about another deployment.
import type { Environment } from '../../settings/reading.ts'
import { type Finding, failing } from './finding.ts'

/**
 * @param env with those of the folder
 * @param prefixes of the variables that describe the deployment
 * @param checked what is checked without them
 */
export function missingVariables(env: Environment, prefixes: readonly string[], checked: string): Finding | undefined {
  const isSet = ([name, value]: readonly [string, string | undefined]) =>
    prefixes.some((prefix) => name.startsWith(prefix)) && value?.trim()
  if (Object.entries(env).some(isSet)) return undefined
  const names = prefixes.map((prefix) => `${prefix}…`).join(' or ')
  return failing(
    'variables',
    'the environment, and .env in GATEWAY_HOME (default: /etc/gateway)',
    `no variable ${names} is set, so these checks are about the defaults: ${checked}`,
    'run it with the variables of the deployment, or with GATEWAY_HOME naming its folder',
  )
}
