// A table for the terminal. Its cells contain untrusted text.
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { type Colour, createStyle } from './style.ts'

const LEAST_WIDTH = 10

/**
 * Columns by name. The last one is not padded, and is cut at the width of the terminal.
 * @param rows values by column; what is missing is shown as `-`
 * @param colourOf a cell's colour
 */
export function table<Column extends string>(
  context: Context,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, unknown>>[],
  colourOf: (column: Column, cell: string) => Colour | undefined = () => undefined,
): string {
  const style = createStyle(context)
  const { stdout } = context
  const cells = rows.map((row) => columns.map((column) => printable(row[column] ?? '-')))
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((row) => length(row[at] ?? ''))))
  const remainingWidth = stdout.isTTY
    ? Math.max(LEAST_WIDTH, (stdout.columns || 80) - widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0))
    : Number.POSITIVE_INFINITY
  const line = (row: readonly string[], colours: readonly (Colour | undefined)[]) =>
    `${row
      .map((cell, at) => {
        const isLast = at === row.length - 1
        const padding = isLast ? '' : ' '.repeat((widths[at] ?? 0) - length(cell) + 2)
        return style(colours[at], isLast ? shortened(cell, remainingWidth) : cell) + padding
      })
      .join('')}\n`
  return [
    line(
      columns,
      columns.map(() => 'bold'),
    ),
    ...cells.map((row) =>
      line(
        row,
        row.map((cell, at) => colourOf(columns[at] as Column, cell)),
      ),
    ),
  ].join('')
}

const length = (text: string) => [...text].length

function shortened(text: string, width: number): string {
  return length(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`
}
