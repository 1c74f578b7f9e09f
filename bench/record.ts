// The circumstances of a run, and the files in docs/ with each command's last results.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type { Cores } from '../test/support/processes.ts'
import { percent } from './format.ts'
import type { Options } from './options.ts'
import type { Results } from './results.ts'
import { type Estimate, estimateOf } from './statistics.ts'

/** The ratio with which the guard compares later runs. */
export interface RecordedRatio {
  readonly date: string
  readonly commit: string
  /** `/blocked`: the portal's ratio to bare `node:http`, by CPU per request. */
  readonly toBareServer: Estimate
  /** The ratio of each round. */
  readonly rounds: readonly number[]
}

const DOCUMENT = new URL('../docs/performance.md', import.meta.url)
const RATIO = new URL('../docs/performance.json', import.meta.url)
const ROUNDS = new URL('../docs/performance-rounds.json', import.meta.url)

/** Call it before the first run: it includes the load average. */
export function circumstances(options: Options, cores: Cores | undefined): string {
  const { seconds, rounds, connections, peers, isGatewayOnly } = options
  const pinned = cores
    ? 'servers and load each pinned to a core'
    : 'without two cores or `taskset`: nothing is pinned, the figures are rough'
  const command = `npm run bench --${isGatewayOnly ? ' --scenario gateway' : ''} --seconds ${seconds} --rounds ${rounds} --connections ${connections}${peers ? '' : ' --no-peers'}`
  return `- Date: ${today()}; commit: ${commit()}; Node ${process.version}
- Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}; ${pinned}; load average before: ${loadavg()[0]?.toFixed(1)}
- Command: \`${command}\`
`
}

/** @throws {Error} when the command's markers are missing */
export function writeIntoDocument(
  command:
    | 'npm run bench'
    | 'npm run bench -- --scenario gateway'
    | 'npm run check -- ledger-speed'
    | 'npm run check -- lighthouse',
  result: string,
): void {
  const text = readFileSync(DOCUMENT, 'utf8')
  const place = new RegExp(`(?<=<!-- ${command}( --)? --write: from here -->\\n)[\\s\\S]*?(?=<!-- to here -->)`)
  if (!place.test(text)) throw new Error('docs/performance.md has no markers for the result')
  writeFileSync(
    DOCUMENT,
    text.replace(place, () => `\n${result}\n`),
  )
}

export function writeRatio(rounds: readonly number[]): void {
  const ratio: RecordedRatio = { date: today(), commit: commit(), toBareServer: estimateOf(rounds), rounds }
  writeFileSync(RATIO, `${JSON.stringify(ratio, undefined, 2)}\n`)
}

/** Writes every round of a run, from which its ratios and intervals can be recomputed. The gateway has its own date. */
export function writeRounds(results: Results, isGatewayOnly: boolean): void {
  const when = { date: today(), commit: commit() }
  const recorded = JSON.parse(readFileSync(ROUNDS, 'utf8')) as { readonly gateway: unknown }
  const gateway = results.gateway === undefined ? recorded.gateway : { ...when, ...results.gateway }
  const rounds = isGatewayOnly ? recorded : { ...when, ...roundsOf(results) }
  writeFileSync(ROUNDS, `${JSON.stringify({ ...rounds, gateway })}\n`)
}

export function roundsOf({ scenarios, starts, engine, gateway }: Omit<Results, 'notes'>) {
  return {
    scenarios: scenarios.map(({ scenario, contenders }) => ({
      scenario: scenario.name,
      contenders: contenders.map(({ name, runs, pacedRuns }) => ({ name, runs, pacedRuns })),
    })),
    starts,
    engine,
    gateway,
  }
}

/** @throws {Error} when no ratio is recorded */
export function readRatio(): RecordedRatio {
  const recorded = JSON.parse(readFileSync(RATIO, 'utf8')) as RecordedRatio
  if (!(recorded.toBareServer.median > 0)) {
    throw new Error(`docs/performance.json has no ratio but ${percent(recorded.toBareServer.median)}`)
  }
  return recorded
}

/** @returns the current commit, marked if there are uncommitted changes */
export function commit(): string {
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes')
  } catch {
    return 'unknown'
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}
