// Parses the command line of `npm run check -- compare`.
import { parseArgs } from 'node:util'
import { LEAST_ROUNDS } from './statistics.ts'

export interface CompareOptions {
  /** A revision of this repository, or the folder of another checkout. */
  readonly base: string
  readonly scenarios: readonly string[]
  readonly rounds: number
  readonly seconds: number
  /** The file for every round as JSON. */
  readonly output: string | undefined
}

export const COMPARED = [
  'blocked',
  'warned',
  'aup',
  'malformed',
  'forged',
  'expired',
  'relay',
  'acceptance',
  'readiness',
  'memory',
] as const

export const COMPARE_USAGE = `Usage: npm run check -- compare --base BASE [options]

Measures the portal of this checkout and of another one side by side, in
${LEAST_ROUNDS} alternating pairs, and prints Markdown: for each scenario the ratio of this
checkout to the base, by requests per second and by CPU per request, as a
median with its 95 % interval, and both as a share of the limit (a bare
node:http server that opens the payload). "worse": the whole interval is
below 95 %; "not worse": all of it is above; otherwise "open". Exits with
status 1 when a ratio is worse.

  --base BASE      a commit, branch or tag of this repository, or the folder of
                   another checkout with its dependencies installed
  --scenario NAME  only this one; may be repeated. Available:
                   ${COMPARED.slice(0, 6).join(', ')},
                   ${COMPARED.slice(6).join(', ')}
  --rounds N       pairs (${LEAST_ROUNDS}; with fewer there is no verdict)
  --seconds N      length of one run (1)
  --output FILE    writes every round as JSON
  --help           this text

relay acknowledges a warning, acceptance a policy, one at a time. readiness is
the time from start to the first page, memory the resident memory before it.

Example:
  npm run check -- compare --base HEAD~1 --scenario aup --scenario memory
`

/**
 * @returns undefined for --help
 * @throws {Error} with a message for the user
 */
export function readCompareOptions(args: readonly string[]): CompareOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      base: { type: 'string' },
      scenario: { type: 'string', multiple: true },
      rounds: { type: 'string', default: `${LEAST_ROUNDS}` },
      seconds: { type: 'string', default: '1' },
      output: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { base, scenario = COMPARED, output } = values
  if (base === undefined) throw new Error('--base is missing: a revision of this repository or a folder')
  const unknown = scenario.find((name) => !(COMPARED as readonly string[]).includes(name))
  if (unknown !== undefined) throw new Error(`--scenario must be one of ${COMPARED.join(', ')}, not ${unknown}`)
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 999) {
    throw new Error(`--rounds must be a whole number from 1 to 999, not ${values.rounds}`)
  }
  if (!(seconds > 0 && seconds <= 60)) throw new Error(`--seconds must be a number up to 60, not ${values.seconds}`)
  return { base, scenarios: scenario, rounds, seconds, output }
}
