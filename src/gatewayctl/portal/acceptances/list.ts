// `portal acceptances list`: prints the newest acceptances as a table.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AcceptanceRecord } from '../../../ledger/schema.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { printableJson } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { displayedState, stateColour } from './displayed-state.ts'
import { FILTER, type FilterOptions, filterOf, withFilterOptions } from './filter.ts'
import { type NewestAcceptances, openReader } from './ledger/reading.ts'

const MAXIMUM = 10_000

interface ListOptions extends DatabaseOptions, FilterOptions {
  readonly limit: number
  readonly json?: true
}

export function listAcceptancesCommand(context: Context): Command {
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
    if (acceptances.length > 0) context.stdout.write(acceptanceTable(context, acceptances))
    context.stderr.write(remark(newest))
  })
}

function parseLimit(text: string): number {
  const limit = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= MAXIMUM)) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAXIMUM}.`)
  return limit
}

const COLUMNS = ['requested_at', 'state', 'policy_version', 'locale', 'jti', 'rule_name'] as const

function acceptanceTable(context: Context, acceptances: readonly AcceptanceRecord[]): string {
  const rows = acceptances.map((acceptance) => ({ ...acceptance, state: displayedState(acceptance, context.clock()) }))
  return table(context, COLUMNS, rows, (column, cell) => (column === 'state' ? stateColour(cell) : undefined))
}

function remark({ acceptances: { length: shown }, total, isTotalExact }: NewestAcceptances): string {
  if (total === 0) return 'No acceptance matches.\n'
  const count = (number: number) => number.toLocaleString('en')
  const more = '(--limit shows more, export writes all)'
  if (!isTotalExact) return `The newest ${count(shown)} of more than ${count(total)} that match ${more}.\n`
  if (shown === total) return `${count(total)} in all.\n`
  return `The newest ${count(shown)}; ${count(total - shown)} more match ${more}.\n`
}
