// The database that the verbs use: the portal's, from its variables, or another one named by options.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { absolutePathHint } from '../../../database/unavailable.ts'
import { ConfigProblems } from '../../../settings/problems.ts'
import type { Environment } from '../../../settings/reading.ts'
import type { DatabaseLocation } from '../../../settings/sections/database.ts'
import { loadDatabase } from '../../../settings/sections/database.ts'
import type { Context } from '../../context.ts'
import { DEFAULT_HOME, findInstallation } from '../../deployment/installation.ts'
import { PORTAL_VARIABLES, portalVariables } from '../../deployment/portal-variables.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'

export interface DatabaseOptions {
  readonly databaseUrl?: string
  readonly databaseUrlFile?: string
}

const NAME = 'GATEWAY_CAPTIVE_DATABASE_URL'
const PASSWORD = 'GATEWAY_CAPTIVE_DATABASE_PASSWORD'

export const DATABASE = `
It uses the ledger that GATEWAY_CAPTIVE_DATABASE_URL or
GATEWAY_CAPTIVE_DATABASE_URL_FILE names, like the portal. All users of the
machine can read a command line: put a URL with a password into a file. A URL
without one is used with GATEWAY_CAPTIVE_DATABASE_PASSWORD, its _FILE, or the
file secrets/database-password in GATEWAY_HOME.
${PORTAL_VARIABLES.trim()}`

export function withDatabaseOptions(command: Command): Command {
  return command
    .addOption(new Option('--database-url-file <file>', 'read the URL of another database from this file'))
    .addOption(new Option('--database-url <url>', 'the URL of another database').conflicts('databaseUrlFile'))
}

/** @throws {ConfigProblems} @throws {Failure} if none is named, or it is a file in a container */
export function ledgerLocation(context: Context, options: DatabaseOptions): DatabaseLocation {
  const { databaseUrl, databaseUrlFile } = options
  if (databaseUrl !== undefined || databaseUrlFile !== undefined) return namedLocation(context, options, '--')
  const variables = portalVariables(context.env)
  if (!variables[NAME]?.trim() && !variables[`${NAME}_FILE`]?.trim()) {
    throw new Failure(
      `${NAME} must be set, itself or as ${NAME}_FILE: in the environment, or in .env in the folder that GATEWAY_HOME names. --database-url-file names another ledger`,
      EXIT_MISUSED,
    )
  }
  const location = loadDatabase({ ...variables, ...passwordVariables(context) })
  if (variables[NAME] !== context.env[NAME]) assertOnThisHost(context, location)
  return location
}

/** In a container deployment a path in `.env` is a path in the portal's container. */
function assertOnThisHost({ env }: Context, location: DatabaseLocation): void {
  if (location.dialect === 'postgres' || existsSync(location.path)) return
  if (findInstallation(env).runBy.kind === 'systemd') return
  throw new Failure(
    `${location.path} is a file in the portal's container, so run this in it: docker compose exec portal node src/gatewayctl/main.ts portal acceptances …${absolutePathHint(location)}`,
  )
}

/** The portal's password, which compose.yaml and the unit read from the deployment's folder. */
function passwordVariables({ env }: Context): Environment {
  const variables = portalVariables(env)
  const named = { [PASSWORD]: variables[PASSWORD], [`${PASSWORD}_FILE`]: variables[`${PASSWORD}_FILE`] }
  const file = join(env.GATEWAY_HOME?.trim() || DEFAULT_HOME, 'secrets', 'database-password')
  const isNamed = Object.values(named).some((value) => value?.trim())
  return isNamed || !existsSync(file) ? named : { [`${PASSWORD}_FILE`]: file }
}

/**
 * @param prefix of the two options that name the ledger, for errors
 * @throws {ConfigProblems}
 */
export function namedLocation(
  context: Context,
  { databaseUrl, databaseUrlFile }: DatabaseOptions,
  prefix: string,
): DatabaseLocation {
  try {
    return loadDatabase({
      ...passwordVariables(context),
      GATEWAY_CAPTIVE_DATABASE_URL: databaseUrl,
      GATEWAY_CAPTIVE_DATABASE_URL_FILE: databaseUrlFile,
    })
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    throw new ConfigProblems(
      error.problems.map((problem) =>
        problem.replace(
          /GATEWAY_CAPTIVE_DATABASE_URL(_FILE)?/g,
          (_, file) => `${prefix}database-url${file === undefined ? '' : '-file'}`,
        ),
      ),
    )
  }
}
