// Parses the command line of the ledger check.
import { parseArgs } from 'node:util'

export interface Options {
  readonly seconds: number
  /** New visitors per second. */
  readonly rate: number
  /** Seconds from one kill to the next. */
  readonly killEvery: number
  readonly databases: readonly ('postgres' | 'sqlite')[]
}

export const USAGE = `Usage: npm run check -- ledger [options]

Visitors accept a policy while the portals are killed with SIGKILL and started
again: two portals on one PostgreSQL, then one with SQLite, before the reference
engine. Afterwards the engine's log is compared with the ledger.
Ends with status 1 when there is a session without a row, an accepted row
without an engine 302, a verdict with two rows, or a state that does not follow
from its attempts.

  --seconds N       how long visitors come (60)
  --rate N          how many each second (200)
  --kill-every N    seconds between two kills (5)
  --database NAME   postgres or sqlite: that one only
  --help            this text

PostgreSQL comes with the dependencies; DATABASE_URL names another server, on
which a database is made and dropped.

Example:
  npm run check -- ledger --seconds 20 --database sqlite
`

/**
 * @returns undefined for --help
 * @throws {Error} with a message for the user
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      rate: { type: 'string', default: '200' },
      'kill-every': { type: 'string', default: '5' },
      database: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { database } = values
  if (database !== undefined && database !== 'postgres' && database !== 'sqlite') {
    throw new Error(`--database must be postgres or sqlite, not ${database}`)
  }
  return {
    seconds: number('seconds', values.seconds),
    rate: number('rate', values.rate),
    killEvery: number('kill-every', values['kill-every']),
    databases: database === undefined ? ['postgres', 'sqlite'] : [database],
  }
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (!(value >= 1 && value <= 3600)) throw new Error(`--${name} must be a number from 1 to 3600, not ${text}`)
  return value
}
