// Which database the verbs read: the portal's own, from the portal's variables, or another one that holds its ledger.
import { existsSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { absolutePathHint } from '../../../config/absolute-path-hint.ts'
import { loadDatabase } from '../../../config/load-database.ts'
import { ConfigProblems } from '../../../config/problems.ts'
import type { LedgerLocation } from '../../../ledger/database.ts'
import type { Context } from '../../context.ts'
import { findInstallation } from '../../deployment/installation.ts'
import { PORTAL_VARIABLES, portalVariables } from '../../deployment/portal-variables.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'

export interface DatabaseOptions {
  readonly databaseUrl?: string
  readonly databaseUrlFile?: string
}

const NAME = 'GATEWAY_CAPTIVE_DATABASE_URL'

export const DATABASE = `
The ledger is the one that GATEWAY_CAPTIVE_DATABASE_URL or
GATEWAY_CAPTIVE_DATABASE_URL_FILE names, as for the portal. Everyone on the
machine can read a command line: put a URL that holds a password into a file.
${PORTAL_VARIABLES.trim()}`

export function withDatabaseOptions(command: Command): Command {
  return command
    .addOption(new Option('--database-url-file <file>', 'read the URL of another database from this file'))
    .addOption(new Option('--database-url <url>', 'the URL itself').conflicts('databaseUrlFile'))
}

/** @throws {ConfigProblems} @throws {Failure} where none is named, or it is in a container */
export function ledgerLocation(context: Context, options: DatabaseOptions): LedgerLocation {
  const { databaseUrl, databaseUrlFile } = options
  if (databaseUrl !== undefined || databaseUrlFile !== undefined) return namedLocation(options, '--')
  const variables = portalVariables(context.env)
  if (!variables[NAME]?.trim() && !variables[`${NAME}_FILE`]?.trim()) {
    throw new Failure(
      `${NAME} must be set, itself or as ${NAME}_FILE: in the environment, or in the file .env of the folder that GATEWAY_HOME names. --database-url-file names another ledger`,
      EXIT_MISUSED,
    )
  }
  const location = loadDatabase(variables)
  if (variables[NAME] !== context.env[NAME]) assertOnThisHost(context, location)
  return location
}

/** A path in the folder of a deployment in containers is a path in the portal's container. */
function assertOnThisHost({ env }: Context, location: LedgerLocation): void {
  if (location.dialect === 'postgres' || existsSync(location.path)) return
  if (findInstallation(env).runBy.kind === 'systemd') return
  throw new Failure(
    `${location.path} is a file in the portal's container; run this beside it: docker compose exec portal node src/gatewayctl/main.ts portal acceptances …${absolutePathHint(location.path)}`,
  )
}

/**
 * The ledger that two options name, whose names begin so.
 * @throws {ConfigProblems}
 */
export function namedLocation({ databaseUrl, databaseUrlFile }: DatabaseOptions, prefix: string): LedgerLocation {
  try {
    return loadDatabase({
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
