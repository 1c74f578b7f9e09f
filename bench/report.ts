// A run's results as Markdown.
import type { ColdStarts } from './cold-start.ts'
import { count, megabytes, milliseconds, percent, spread, table } from './notation.ts'
import type { PageWeight } from './page-weight.ts'
import { cpuRatio, figures, type Results, rateRatio, type ScenarioResult } from './results.ts'
import { median, spreadOf } from './statistics.ts'
import { targetRows } from './targets.ts'

/** Everything after the circumstances. @param picture the path of one, seen from the document */
export function report(results: Results, picture?: string): string {
  return [
    '### Targets\n',
    targetTable(results),
    ...(picture === undefined ? [] : [`![Requests per second beside the others](${picture})\n`]),
    ...results.scenarios.flatMap((result) => [`### ${capitalised(result.scenario.title)}\n`, scenarioTables(result)]),
    ...(results.coldStarts.length === 0
      ? []
      : ['### From start to first answer\n', coldStartTable(results.coldStarts)]),
    ...(results.weights.length === 0 ? [] : ['### Weight of a page on the wire\n', weightTable(results.weights)]),
    ...(results.notes.length === 0 ? [] : [results.notes.map((note) => `- ${note}\n`).join('')]),
  ].join('\n')
}

function targetTable(results: Results): string {
  const rows = targetRows(results).map(({ target, reached, isMet }) => [
    target,
    reached,
    isMet === undefined ? '' : isMet ? 'met' : '**missed**',
  ])
  return table(['target', 'reached: median (least to most)', ''], rows)
}

/** One row a contender; each figure is the median of its runs, but for the memory under load, which is the most. */
function scenarioTables({ contenders, pairs }: ScenarioResult): string {
  const rows = contenders.map((one) => {
    const middle = (figure: Parameters<typeof figures>[1], runs = one.runs) => median(figures({ runs }, figure))
    const paced = (figure: 'p50' | 'p99' | 'p999') =>
      one.pacedRuns.length === 0 ? '' : milliseconds(middle(figure, one.pacedRuns))
    return [
      one.name,
      Math.round(middle('rate')).toLocaleString('en'),
      ...(['p50', 'p99', 'p999'] as const).map((figure) => milliseconds(middle(figure))),
      ...(['p50', 'p99', 'p999'] as const).map(paced),
      `${middle('cpu').toFixed(0)} µs`,
      percent(middle('busy')),
      `${(middle('bytes') / 1e3).toFixed(1)} kB`,
      megabytes(one.bytesAtRest),
      megabytes(Math.max(...figures(one, 'residentBytes'))),
    ]
  })
  const measured = ['requests/s', 'p50', 'p99', 'p99.9']
  const paced = ["at half the portal's rate: p50", 'p99', 'p99.9']
  const cost = ['CPU per request', 'of its core', 'an answer', 'memory at rest', 'under load']
  const isPaced = contenders.some(({ pacedRuns }) => pacedRuns.length > 0)
  const withoutPaced = (cells: readonly string[]) =>
    isPaced ? cells : cells.toSpliced(1 + measured.length, paced.length)
  const all = table(withoutPaced(['server', ...measured, ...paced, ...cost]), rows.map(withoutPaced))
  if (pairs.length === 0) return all
  const ratios = pairs.map(([one, other]) => [
    `${one.name} / ${other.name}`,
    spread(rateRatio(one, other), share),
    spread(cpuRatio(one, other), share),
  ])
  return `${all}\n${table(['ratio: median (least to most)', 'by requests/s', 'by CPU per request'], ratios)}`
}

function coldStartTable(starts: readonly ColdStarts[]): string {
  const rows = starts.map(({ name, durations, bytesAtRest }) => [
    name,
    spread(spreadOf(durations), (value) => `${value.toFixed(0)} ms`),
    megabytes(bytesAtRest),
  ])
  return table(['server', 'median (least to most)', 'memory at rest'], rows)
}

function weightTable(weights: readonly PageWeight[]): string {
  const rows = weights.map(({ name, head, bodies }) => [
    name,
    `${head.toLocaleString('en')} B`,
    `${Math.min(...bodies).toLocaleString('en')} to ${Math.max(...bodies).toLocaleString('en')} B`,
  ])
  return table(['page', 'head', 'body, by language'], rows)
}

/** Percent, or how many times where that is easier to read. */
function share(value: number): string {
  return value < 2 ? percent(value) : `${count(value)} ×`
}

function capitalised(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}
