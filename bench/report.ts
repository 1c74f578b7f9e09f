// Formats a run's results as Markdown.
import { engineTables } from './engine/report.ts'
import { count, interval, megabytes, milliseconds, percent, table } from './format.ts'
import { gatewaySummary, gatewayTables } from './gateway/report.ts'
import type { GatewayResult } from './gateway/result.ts'
import { cpuRatio, figures, type Results, rateRatio, type ScenarioResult } from './results.ts'
import type { Starts } from './starts.ts'
import { estimateOf, median } from './statistics.ts'
import { gatewayTargetRows, type TargetRow, targetRows } from './targets.ts'

/** Everything after the circumstances. */
export function report(results: Results): string {
  return [
    '### Targets\n',
    targetTable([...targetRows(results), ...gatewayTargetRows(results)]),
    ...results.scenarios.flatMap((result) => [`### ${capitalised(result.scenario.title)}\n`, scenarioTables(result)]),
    ...(results.starts.length === 0 ? [] : ['### From start to first response\n', startTable(results.starts)]),
    ...(results.engine === undefined ? [] : ['### The engine and its lists\n', engineTables(results.engine)]),
    ...(results.gateway === undefined
      ? []
      : ['### The gateway compared with others\n', gatewayTables(results.gateway)]),
    ...(results.notes.length === 0 ? [] : [results.notes.map((note) => `- ${note}\n`).join('')]),
  ].join('\n')
}

/** The text that `--write` puts into the document; docs/performance-rounds.json has the rest. */
export function summary(results: Results): string {
  return ['### Targets\n', targetTable(targetRows(results)), '### Main figures\n', mainTable(results)].join('\n')
}

/** One row per scenario: its first contender, and the ratio to the first of the others. */
function mainTable({ scenarios }: Results): string {
  const rows = scenarios.flatMap(({ scenario, contenders: [first], pairs: [pair] }) => {
    if (first === undefined) return []
    return [
      [
        scenario.title,
        Math.round(median(figures(first, 'rate'))).toLocaleString('en'),
        `${median(figures(first, 'cpu')).toFixed(0)} µs`,
        ...(pair ? [pair[1].name, interval(rateRatio(...pair), share)] : ['', '']),
      ],
    ]
  })
  return table(['scenario', 'requests/s', 'CPU per request', 'compared with', 'ratio: median (95 % interval)'], rows)
}

/** The same for the gateway, which has its own place in the document. */
export function gatewaySection(gateway: GatewayResult): string {
  return [targetTable(gatewayTargetRows({ gateway })), gatewaySummary(gateway)].join('\n')
}

function targetTable(targets: readonly TargetRow[]): string {
  const rows = targets.map(({ target, reached, verdict = '' }) => [
    target,
    reached,
    verdict === 'missed' ? '**missed**' : verdict,
  ])
  return table(['target', 'reached: median (95 % interval)', ''], rows)
}

/** One row per contender; each figure is the median of its runs, except memory under load, which is the maximum. */
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
  const cost = ['CPU per request', 'of its core', 'response size', 'memory without load', 'under load']
  const isPaced = contenders.some(({ pacedRuns }) => pacedRuns.length > 0)
  const withoutPaced = (cells: readonly string[]) =>
    isPaced ? cells : cells.toSpliced(1 + measured.length, paced.length)
  const all = table(withoutPaced(['server', ...measured, ...paced, ...cost]), rows.map(withoutPaced))
  if (pairs.length === 0) return all
  const ratios = pairs.map(([one, other]) => [
    `${one.name} / ${other.name}`,
    interval(rateRatio(one, other), share),
    interval(cpuRatio(one, other), share),
  ])
  return `${all}\n${table(['ratio: median (95 % interval)', 'by requests/s', 'by CPU per request'], ratios)}`
}

function startTable(starts: readonly Starts[]): string {
  const rows = starts.map(({ name, durations, memory }) => [
    name,
    interval(estimateOf(durations), (value) => `${value.toFixed(0)} ms`),
    interval(estimateOf(memory), megabytes),
  ])
  return table(['server', 'median (95 % interval)', 'memory without load'], rows)
}

/** A percentage, or a factor if that is easier to read. */
function share(value: number): string {
  return value < 2 ? percent(value) : `${count(value)} ×`
}

function capitalised(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}
