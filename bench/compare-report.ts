// Formats a comparison as Markdown, with a verdict on each ratio.

import type { Run } from './contenders.ts'
import { interval, percent, table } from './format.ts'
import { estimateOf, quotients, verdictOf } from './statistics.ts'

/** The tolerated share of the base: a ratio whose whole interval is below it is worse. */
const MIN_SHARE_OF_BASE = 0.95

export interface ComparedLoad {
  readonly name: string
  readonly base: readonly Run[]
  readonly current: readonly Run[]
  /** Runs of a bare server that opens the payload; empty without such a limit. */
  readonly limit: readonly Run[]
}

/** A figure that should be small; one value per round. */
export interface ComparedFigure {
  readonly name: string
  readonly unit: 'ms' | 'MB'
  readonly base: readonly number[]
  readonly current: readonly number[]
}

export interface Comparison {
  readonly loads: readonly ComparedLoad[]
  readonly figures: readonly ComparedFigure[]
}

const VERDICT_TEXTS = { met: 'not worse', open: 'open', missed: '**worse**' } as const

/** @returns Markdown, and whether a ratio is worse */
export function compareReport({ loads, figures }: Comparison): { readonly text: string; readonly isWorse: boolean } {
  let isWorse = false
  const rated = (ratios: readonly number[]): [ratio: string, verdict: string] => {
    const estimate = estimateOf(ratios)
    const verdict = verdictOf(estimate, { atLeast: MIN_SHARE_OF_BASE })
    isWorse ||= verdict === 'missed'
    return [interval(estimate, precisely), verdict === undefined ? '' : VERDICT_TEXTS[verdict]]
  }
  const figure = (runs: readonly Run[], name: 'rate' | 'cpu') => runs.map((run) => run[name])
  const toLimit = (runs: readonly Run[], limit: readonly Run[]) =>
    limit.length === 0 ? '' : interval(estimateOf(quotients(figure(runs, 'rate'), figure(limit, 'rate'))), percent)
  const loadRows = loads.map(({ name, base, current, limit }) => [
    name,
    ...rated(quotients(figure(current, 'rate'), figure(base, 'rate'))),
    // Less is better.
    ...rated(quotients(figure(base, 'cpu'), figure(current, 'cpu'))),
    toLimit(base, limit),
    toLimit(current, limit),
  ])
  const figureRows = figures.map(({ name, unit, base, current }) => {
    const shown = (value: number) => `${value.toFixed(0)} ${unit}`
    return [
      name,
      interval(estimateOf(base), shown),
      interval(estimateOf(current), shown),
      ...rated(quotients(base, current)),
    ]
  })
  const loadHead = [
    'scenario',
    ...['this / base by requests/s', ''],
    ...['by requests per CPU time', ''],
    ...['base / limit', 'this / limit'],
  ]
  const tables = [
    ...(loadRows.length === 0 ? [] : [table(loadHead, loadRows)]),
    ...(figureRows.length === 0 ? [] : [table(['figure', 'base', 'this', 'base / this', ''], figureRows)]),
  ]
  return { text: tables.join('\n'), isWorse }
}

function precisely(value: number): string {
  return `${(value * 100).toFixed(1)} %`
}
