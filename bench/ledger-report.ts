// Formats the ledger's figures as Markdown.
import type { Durations } from './durable-commits.ts'
import { interval, percent, table } from './format.ts'
import { estimateOf, median } from './statistics.ts'

interface AcknowledgementRun {
  /** Acknowledgements per second. */
  readonly rate: number
  readonly durations: Durations
}

export interface LedgerRound {
  /** `fdatasync` of a file, just before the run. */
  readonly disk: Durations
  /** Plain commits on one connection. */
  readonly commit: Durations
  /** One acknowledgement at a time. */
  readonly alone: AcknowledgementRun
  /** On all connections at once. */
  readonly together: AcknowledgementRun
  /** The portal's CPU time for each of these, in milliseconds, all threads; NaN where unavailable. */
  readonly cpu: number
}

export interface MeasuredStorage {
  readonly name: string
  readonly rounds: readonly LedgerRound[]
}

/** One row per storage; each figure is the median of its rounds. */
export function ledgerFigures(storages: readonly MeasuredStorage[], connections: number): string {
  const head = [
    'storage',
    `acknowledgements/s, ${connections} at once`,
    ...['p50', 'p99', 'CPU of the portal'],
    ...['one at a time: p50', 'p99'],
    ...['a durable commit: p50', 'p99'],
    ...['`fdatasync` of 4 KB: p50', 'p99'],
  ]
  const rows = storages.map(({ name, rounds }) => {
    const times = (durations: (round: LedgerRound) => Durations) =>
      [50, 99].map(
        (percentile) => `${median(rounds.map((round) => milliseconds(durations(round), percentile))).toFixed(2)} ms`,
      )
    return [
      name,
      median(rounds.map(({ together }) => together.rate)).toFixed(0),
      ...times(({ together }) => together.durations),
      `${median(rounds.map(({ cpu }) => cpu)).toFixed(1)} ms`,
      ...times(({ alone }) => alone.durations),
      ...times(({ commit }) => commit),
      ...times(({ disk }) => disk),
    ]
  })
  return table(head, rows)
}

/** Ratios within a round: the median and, in brackets, its 95 % interval. */
export function ledgerRatios(storages: readonly MeasuredStorage[], connections: number): string {
  const head = [
    'ratio',
    'one acknowledgement / one durable commit (p50)',
    `acknowledgements/s, ${connections} at once / sequential durable commits/s`,
  ]
  const times = (value: number) => value.toFixed(1)
  const rows = storages.map(({ name, rounds }) => [
    name,
    interval(estimateOf(rounds.map(costOf)), times),
    interval(estimateOf(rounds.map(shareOf)), percent),
  ])
  return table(head, rows)
}

/**
 * Relative to this machine and its disk. Without other work the cost is 21 and the share 8 %; on a busy machine a commit takes
 * no longer in the median, but on average.
 */
const LIMITS = { cost: 200, share: 0.02 }

/** @returns what is too slow; empty when nothing is */
export function ledgerFaults(storages: readonly MeasuredStorage[]): string[] {
  return storages.flatMap(({ name, rounds }) => {
    const [cost, share] = [median(rounds.map(costOf)), median(rounds.map(shareOf))]
    return [
      ...(cost <= LIMITS.cost ? [] : [`${name}: an acknowledgement takes ${cost.toFixed(0)} times a durable commit`]),
      ...(share >= LIMITS.share ? [] : [`${name}: only ${percent(share)} of the sequential durable commits a second`]),
    ]
  })
}

/** One acknowledgement, in durable commits. */
function costOf({ alone, commit }: LedgerRound): number {
  return milliseconds(alone.durations, 50) / milliseconds(commit, 50)
}

/** Acknowledgements a second, of the sequential durable commits a second. */
function shareOf({ together, commit }: LedgerRound): number {
  return together.rate / (1000 / (commit.mean / 1000))
}

function milliseconds(durations: Durations, percentile: number): number {
  return durations.percentile(percentile) / 1000
}
