// Parses the command line of `npm run bench`.
import { parseArgs } from 'node:util'
import { LEAST_ROUNDS } from './statistics.ts'

export interface Options {
  /** Names of the scenarios to measure. */
  readonly scenarios: readonly string[]
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly peers: boolean
  readonly quick: boolean
  readonly write: boolean
  /** Whether the gateway is the only scenario. */
  readonly isGatewayOnly: boolean
}

const DEFAULTS = { seconds: 1, rounds: LEAST_ROUNDS }
// Enough to check that everything works.
const QUICK = { seconds: 0.5, rounds: 1 }

export function usage(names: readonly string[]): string {
  return `Usage: npm run bench -- [options]

Measures the throughput of one core of this machine, compared with bare
node:http servers that send the same bytes and with other installed programs.
Prints Markdown: medians of the rounds with their 95 % intervals. It takes about
an hour.

  --scenario NAME  only this one; may be repeated. Available:
                   ${names
                     .join(', ')
                     .replace(/(.{1,58})(?:, |$)/g, '$1,\n                   ')
                     .trimEnd()
                     .replace(/,$/, '')}
  --seconds N      length of one run of one server (${DEFAULTS.seconds})
  --rounds N       how often each server is measured (${DEFAULTS.rounds});
                   with fewer rounds there is no verdict on a target
  --connections N  concurrent connections (32)
  --[no-]peers     with or without other programs to compare with, if they are
                   installed
  --quick          ${QUICK.seconds} seconds, ${QUICK.rounds} round, little warm-up: to check that it
                   works, not for figures
  --write          put the main figures and a picture into docs/performance.md,
                   every round into docs/performance-rounds.json; with
                   --scenario gateway, that part of both
  --help           this text

Example:
  npm run bench -- --scenario blocked --scenario relay --rounds 3
`
}

/**
 * @param names of all scenarios
 * @returns undefined for --help
 * @throws {Error} with a message for the user
 */
export function readOptions(args: readonly string[], names: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      scenario: { type: 'string', multiple: true },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      connections: { type: 'string', default: '32' },
      peers: { type: 'boolean', default: true },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { scenario: scenarios = names, peers, quick, write } = values
  const unknown = scenarios.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`--scenario must be one of ${names.join(', ')}, not ${unknown}`)
  const isGatewayOnly = scenarios.every((name) => name === 'gateway')
  if (write && (quick || !(isGatewayOnly || values.scenario === undefined))) {
    throw new Error('--write needs a whole run: omit --quick and --scenario, except --scenario gateway')
  }
  const { seconds, rounds } = quick ? QUICK : DEFAULTS
  return {
    scenarios,
    seconds: positive('seconds', values.seconds ?? `${seconds}`),
    rounds: whole('rounds', values.rounds ?? `${rounds}`),
    connections: whole('connections', values.connections),
    peers,
    quick,
    write,
    isGatewayOnly,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 3600)) throw new Error(`--${name} must be a number up to 3600, not ${text}`)
  return value
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 999, not ${text}`)
  return Number(text)
}
