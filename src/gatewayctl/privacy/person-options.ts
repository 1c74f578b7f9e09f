// Whose data: the options of the verbs, and which engines and ledgers they search.
import { type Command, Option } from 'commander'
import type { PersonNamed } from '../../contract/administration.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'

export interface PersonOptions {
  readonly user?: string
  readonly client?: string
  /** Several may be given; the deployment's if none is. */
  readonly engine?: readonly string[]
  readonly databaseUrlFile?: readonly string[]
  readonly tokenFile?: string
  readonly caFile?: string
  /** False with `--no-acceptances`. */
  readonly acceptances: boolean
  readonly json?: true
}

export const SOURCES = `
It searches the engine that ENGINE_INTERNAL_URL names and the ledger that
GATEWAY_CAPTIVE_DATABASE_URL names, in the environment or in .env in
GATEWAY_HOME (default: /etc/gateway). Where there are several, repeat --engine
and --database-url-file: each engine also has the last stopped requests in its
memory. If one of them cannot be reached, it says so, and the exit code is 1.`

export const PERSON = `
A user is compared as rules do, whatever the case, domain or realm. A client is
one address; wrong codes are counted for the /64 of an IPv6 address.`

export function withPersonOptions(command: Command): Command {
  return withSourceOptions(
    command
      .addOption(new Option('--user <name>', 'of this user').conflicts('client'))
      .addOption(new Option('--client <address>', 'of this client address')),
  )
}

export function withSourceOptions(command: Command): Command {
  const several = (value: string, previous: readonly string[] = []) => [...previous, value]
  return command
    .addOption(new Option('--engine <url>', "an engine's control API; may be repeated").argParser(several))
    .addOption(new Option('--token-file <file>', "a file with the engines' token"))
    .addOption(new Option('--ca-file <file>', "a file with the CA of the engines' certificates, PEM"))
    .addOption(
      new Option('--database-url-file <file>', 'read the URL of a ledger from this file; may be repeated').argParser(
        several,
      ),
    )
    .addOption(new Option('--no-acceptances', 'search no ledger'))
}

/** @throws {Failure} */
export function namedPerson({ user, client }: PersonOptions): PersonNamed {
  if (user !== undefined) return { user }
  if (client !== undefined) return { client }
  throw new Failure('name --user or --client', EXIT_MISUSED)
}
