// The figures as Markdown.
import type { Contender, Run } from './measure.ts'

/** One row a contender; each figure is the median of its runs, but for the memory under load, which is the most. */
export function figures(contenders: readonly Contender[]): string {
  const rows = contenders.map(({ name, runs, bytesAtRest }) => {
    const middle = (figure: (run: Run) => number) => median(runs.map(figure))
    return [
      name,
      Math.round(middle((run) => run.rate)).toLocaleString('en'),
      `${middle((run) => run.p50).toFixed(2)} ms`,
      `${middle((run) => run.p99).toFixed(2)} ms`,
      `${middle((run) => run.cpu).toFixed(0)} µs`,
      percent(middle((run) => run.busy)),
      `${(middle((run) => run.bytes) / 1e3).toFixed(1)} kB`,
      megabytes(bytesAtRest),
      megabytes(Math.max(...runs.map((run) => run.residentBytes))),
    ]
  })
  const measured = ['requests/s', 'p50', 'p99', 'CPU per request', 'of its core', 'an answer', 'memory at rest']
  return table(['server', ...measured, 'under load'], rows)
}

/** One row for each pair: the first by the second, run by run; the median and, in brackets, the least and the most. */
export function ratios(pairs: readonly (readonly [Contender, Contender])[]): string {
  const rows = pairs.map(([one, other]) => [
    `${one.name} / ${other.name}`,
    spread(one.runs.map((run, round) => run.rate / (other.runs[round] as Run).rate)),
    spread(one.runs.map((run, round) => (other.runs[round] as Run).cpu / run.cpu)),
  ])
  return table(['ratio', 'by requests/s', 'by CPU per request'], rows)
}

/** Where nobody tells (memory and CPU, anywhere but on Linux) the figure is NaN. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const alignment = head.map((_, column) => (column === 0 ? '---' : '---:'))
  const known = rows.map((cells) => cells.map((cell) => (cell.includes('NaN') ? 'unknown' : cell)))
  return [head, alignment, ...known].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

export function spread(values: readonly number[]): string {
  return `${percent(median(values))} (${percent(Math.min(...values))} to ${percent(Math.max(...values))})`
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
