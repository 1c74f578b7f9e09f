// Parses the command line of `npm run check -- ledger-speed`.
import { parseArgs } from 'node:util'

export interface LedgerOptions {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly write: boolean
}

export const COMMAND = 'npm run check -- ledger-speed'

export const USAGE = `Usage: ${COMMAND} [options]

Measures how many policy acknowledgements the portal records per second, with
SQLite and with PostgreSQL, compared with durable commits on the same disk, and
prints Markdown. It uses the PostgreSQL among the npm packages; DATABASE_URL
names another server, on which a database is created and dropped. Exits with
status 1 when an acknowledgement takes more than 200 times a durable commit, or
16 at once are recorded at less than 2 % of the rate of such commits.

  --seconds N      length of one run (4)
  --rounds N       how often each storage is measured (3)
  --connections N  concurrent connections (16)
  --write          also put the result into docs/performance.md
  --help           this text

Example:
  ${COMMAND} --rounds 5
`

/**
 * @returns undefined for --help
 * @throws {Error} with a message for the user
 */
export function readLedgerOptions(args: readonly string[]): LedgerOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '16' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    seconds: number('seconds', values.seconds, 60),
    rounds: number('rounds', values.rounds, 100),
    connections: number('connections', values.connections, 500),
    write: values.write,
  }
}

function number(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new Error(`--${name} must be a whole number from 1 to ${most}, not ${text}`)
  }
  return value
}
