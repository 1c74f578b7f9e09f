// The command line.
import { parseArgs } from 'node:util'

export interface Options {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly write: boolean
}

export const USAGE = `npm run bench -- [options]

Measures how many block pages per second one core of this machine gives, beside a bare node:http server that sends the
same bytes, and prints Markdown.

  --seconds N      length of one run of one server (4)
  --rounds N       how often each server has its turn (5)
  --connections N  connections that are kept busy (32)
  --write          put the result into docs/performance.md too
  --help           this text
`

/**
 * Undefined when help is asked for.
 * @throws {Error} with a message for the person at the keyboard
 */
export function readOptions(words: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seconds: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    seconds: positive('seconds', values.seconds),
    rounds: whole('rounds', values.rounds),
    connections: whole('connections', values.connections),
    write: values.write,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 3600)) throw new Error(`--${name} is a number up to 3600, not ${text}`)
  return value
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error(`--${name} is a whole number from 1 to 999, not ${text}`)
  return Number(text)
}
