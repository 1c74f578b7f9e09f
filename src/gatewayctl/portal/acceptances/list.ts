// `portal acceptances list`: prints the newest acceptances as a table.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type NewestAcceptances, openReader } from '../../../ledger/reading.ts'
import type { AcceptanceRecord } from '../../../ledger/schema.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { createStyle } from '../../terminal/style.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { displayedState, stateColour } from './displayed-state.ts'
import { FILTER, type FilterOptions, filterOf, withFilterOptions } from './filter.ts'

const MAXIMUM = 10_000

interface ListOptions extends DatabaseOptions, FilterOptions {
  readonly limit: number
  readonly json?: true
}

export function listAcceptances(context: Context): Command {
  const command = createCommand(context, 'list', {
    purpose: 'Lists the newest acceptances.',
    details: `${FILTER.trim()}\n${DATABASE}`,
    examples: [
      'gatewayctl portal acceptances list',
      'gatewayctl portal acceptances list --since 7d --state unknown',
      "gatewayctl portal acceptances list --rule aup-guests --json | jq '.acceptances[].jti'",
    ],
  })
    .addOption(new Option('--limit <count>', 'how many at most').argParser(parseLimit).default(50))
    .addOption(new Option('--json', 'print one JSON document, with the total'))
  return withDatabaseOptions(withFilterOptions(context, command)).action(async (options: ListOptions) => {
    const filter = filterOf(options)
    const reader = await openReader(ledgerLocation(context, options), context.clock)
    const newest = await reader.newest(filter, options.limit).finally(() => reader.close())
    const { acceptances, total, isTotalExact } = newest
    if (options.json) {
      context.stdout.write(`${printableJson({ total, total_is_exact: isTotalExact, acceptances }, 2)}\n`)
      return
    }
    if (acceptances.length > 0) context.stdout.write(table(context, acceptances))
    context.stderr.write(remark(newest))
  })
}

function parseLimit(text: string): number {
  const limit = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= MAXIMUM)) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAXIMUM}.`)
  return limit
}

const COLUMNS = ['requested_at', 'state', 'policy_version', 'locale', 'jti', 'rule_name'] as const

/** The last column is not padded, and is cut at the width of the terminal. */
function table(context: Context, acceptances: readonly AcceptanceRecord[]): string {
  const style = createStyle(context)
  const rows = acceptances.map((acceptance) =>
    COLUMNS.map((column) =>
      printable(column === 'state' ? displayedState(acceptance, context.clock()) : acceptance[column]),
    ),
  )
  const widths = COLUMNS.map((name, at) => Math.max(name.length, ...rows.map((row) => length(row[at] ?? ''))))
  const remainingWidth = context.stdout.isTTY
    ? Math.max(10, (context.stdout.columns || 80) - widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0))
    : Number.POSITIVE_INFINITY
  const line = (cells: readonly string[], colours: readonly Parameters<typeof style>[0][]) =>
    `${cells
      .map((cell, at) => {
        const isLast = at === cells.length - 1
        const padding = isLast ? '' : ' '.repeat((widths[at] ?? 0) - length(cell) + 2)
        return style(colours[at], isLast ? shortened(cell, remainingWidth) : cell) + padding
      })
      .join('')}\n`
  return [
    line(
      COLUMNS,
      COLUMNS.map(() => 'bold'),
    ),
    ...rows.map((row) => line(row, [undefined, stateColour(row[1] ?? '')])),
  ].join('')
}

const length = (text: string) => [...text].length

function shortened(text: string, width: number): string {
  return length(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`
}

function remark({ acceptances: { length: shown }, total, isTotalExact }: NewestAcceptances): string {
  if (total === 0) return 'No acceptance matches.\n'
  const count = (number: number) => number.toLocaleString('en')
  const more = '(--limit shows more, export writes all)'
  if (!isTotalExact) return `The newest ${count(shown)} of more than ${count(total)} that match ${more}.\n`
  if (shown === total) return `${count(total)} in all.\n`
  return `The newest ${count(shown)}; ${count(total - shown)} more match ${more}.\n`
}
