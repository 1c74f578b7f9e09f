// Which database the verbs read: the portal's own, from the portal's variables, or another one that holds its ledger.
import { type Command, Option } from 'commander'
import { ConfigProblems } from '../../../config/config.ts'
import { loadDatabase } from '../../../config/load-database.ts'
import type { LedgerLocation } from '../../../ledger/database.ts'
import type { World } from '../../world.ts'

export interface DatabaseOptions {
  readonly databaseUrl?: string
  readonly databaseUrlFile?: string
}

export const DATABASE = `
The ledger is the one that GATEWAY_CAPTIVE_DATABASE_URL or
GATEWAY_CAPTIVE_DATABASE_URL_FILE names, as for the portal. Everyone on the
machine can read a command line: put a URL that holds a password into a file.`

export function withDatabaseOptions(command: Command): Command {
  return command
    .addOption(new Option('--database-url-file <file>', 'read the URL of another database from this file'))
    .addOption(new Option('--database-url <url>', 'the URL itself').conflicts('databaseUrlFile'))
}

/** @throws {ConfigProblems} */
export function ledgerLocation(world: World, options: DatabaseOptions): LedgerLocation {
  const { databaseUrl, databaseUrlFile } = options
  if (databaseUrl === undefined && databaseUrlFile === undefined) return loadDatabase(world.env)
  return namedLocation(options, '--')
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
