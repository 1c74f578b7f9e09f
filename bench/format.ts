// Formats figures.
import type { Estimate } from './statistics.ts'

/** Unavailable figures (memory and CPU on systems other than Linux) are NaN. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const alignment = head.map((_, column) => (column === 0 ? '---' : '---:'))
  const known = rows.map((cells) => cells.map((cell) => (cell.includes('NaN') ? 'unknown' : cell)))
  return [head, alignment, ...known].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** The median and, in brackets, its 95 % interval, in the same unit: `2.74 ms (2.03–3.80)`. */
export function interval({ median, low, high }: Estimate, shown: (value: number) => string): string {
  const [unit = ''] = / \S+$/.exec(shown(median)) ?? []
  const ends = [shown(low), shown(high)]
  const isSame = ends.every((end) => end.endsWith(unit))
  const numbers = ends.map((end) => (isSame ? end.slice(0, end.length - unit.length) : end))
  return `${shown(median)} (${numbers.join(low < 0 ? ' to ' : '–')})`
}

export function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`
}

/** A factor: `0.93`, `12`. */
export function count(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

export function milliseconds(value: number): string {
  return `${value.toFixed(2)} ms`
}

export function microseconds(value: number): string {
  return `${value.toFixed(1)} µs`
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
