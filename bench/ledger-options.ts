// The command line of `npm run check -- ledger-speed`.
import { parseArgs } from 'node:util'

export interface LedgerOptions {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly write: boolean
}

export const COMMAND = 'npm run check -- ledger-speed'

export const USAGE = `Usage: ${COMMAND} [options]

Measures how many acknowledgements of a policy the portal records each second,
with SQLite and with PostgreSQL, with the reference engine, next to one durable
commit on the same disk, and prints Markdown. PostgreSQL comes with the
dependencies; DATABASE_URL names another server, on which a database is made and
dropped.

  --seconds N      length of one run (4)
  --rounds N       how often each storage has its turn (3)
  --connections N  connections that are kept busy (16)
  --write          put the result into docs/performance.md too
  --help           this text

Example:
  ${COMMAND} --rounds 5
`

/**
 * Undefined when help is asked for.
 * @throws {Error} with a message for the person at the keyboard
 */
export function readLedgerOptions(words: readonly string[]): LedgerOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
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
    throw new Error(`--${name} is a whole number from 1 to ${most}, not ${text}`)
  }
  return value
}
