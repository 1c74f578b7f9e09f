// `portal acceptances export`: writes every acceptance with all columns, for a spreadsheet or a program.
import { type Command, Option } from 'commander'
import { ACCEPTANCE_COLUMNS, type AcceptanceRecord, ATTEMPT_COLUMNS } from '../../../ledger/schema.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { fileOutput, streamOutput } from '../../files/output.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { startProgress } from '../../terminal/progress.ts'
import { csvLine } from './csv.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { FILTER, type FilterOptions, filterOf, withFilterOptions } from './filter.ts'
import { type AcceptanceFilter, type AcceptanceWithAttempts, type LedgerReader, openReader } from './ledger/reading.ts'

interface ExportOptions extends DatabaseOptions, FilterOptions {
  readonly format: 'csv' | 'jsonl'
  readonly attempts?: boolean
  readonly output?: string
}

export function exportAcceptancesCommand(context: Context): Command {
  const command = createCommand(context, 'export', {
    purpose: 'Writes every acceptance, the oldest first, as CSV or JSON Lines.',
    details: `
CSV is for spreadsheets: an apostrophe precedes what they would read as a
formula. JSON Lines has unchanged values. With --attempts, CSV has one line per
attempt, and JSON Lines the member attempt_records.

Each acceptance that exists at the start is written once. The file of --output
replaces an existing one when it is complete; only its owner can read it.
${FILTER}
${DATABASE}`,
    examples: [
      'gatewayctl portal acceptances export --output acceptances.csv',
      'gatewayctl portal acceptances export --since 2026-01-01 --until 2027-01-01 --output 2026.csv',
      'gatewayctl portal acceptances export --format jsonl --attempts | gzip > acceptances.jsonl.gz',
    ],
  })
    .addOption(new Option('--format <format>', 'the format').choices(['csv', 'jsonl']).default('csv'))
    .addOption(new Option('--attempts', 'include the attempts'))
    .addOption(new Option('--output <file>', 'write to this file instead of standard output'))
  return withDatabaseOptions(withFilterOptions(context, command)).action((options: ExportOptions) =>
    exportAll(context, options),
  )
}

async function exportAll(context: Context, options: ExportOptions): Promise<void> {
  const filter = filterOf(options)
  const reader = await openReader(ledgerLocation(context, options), context.clock)
  try {
    await writeAll(context, reader, filter, options)
  } finally {
    await reader.close()
  }
}

async function writeAll(
  context: Context,
  reader: LedgerReader,
  filter: AcceptanceFilter,
  { format, attempts = false, output: file }: ExportOptions,
): Promise<void> {
  const startedAt = performance.now()
  const output = file === undefined ? streamOutput(context.stdout) : await fileOutput(file)
  const progress = startProgress(context.stderr, file !== undefined || !context.stdout.isTTY)
  let count = 0
  const soFar = () => `${count.toLocaleString('en')} acceptances, ${seconds(performance.now() - startedAt)}`

  if (format === 'csv') await output.write(csvHeader(attempts))
  for await (const batch of attempts ? reader.everyWithAttempts(filter) : reader.every(filter)) {
    await output.write(batch.map(format === 'csv' ? csvLines : jsonLine).join(''))
    count += batch.length
    progress.show(`${soFar()}, up to ${printable(batch.at(-1)?.requested_at)}`)
  }
  await output.finish()
  progress.clear()
  if (context.stderr.isTTY) context.stderr.write(`${soFar()}\n`)
}

function csvHeader(attempts: boolean): string {
  return csvLine([...ACCEPTANCE_COLUMNS, ...(attempts ? ATTEMPT_COLUMNS.map((column) => `attempt_${column}`) : [])])
}

function csvLines(record: AcceptanceRecord | AcceptanceWithAttempts): string {
  const acceptance = ACCEPTANCE_COLUMNS.map((column) => record[column])
  if (!('attempt_records' in record)) return csvLine(acceptance)
  // An acceptance without attempts gets a line, too.
  const attempts = record.attempt_records.length > 0 ? record.attempt_records : [undefined]
  return attempts
    .map((attempt) => csvLine([...acceptance, ...ATTEMPT_COLUMNS.map((column) => attempt?.[column])]))
    .join('')
}

function jsonLine(record: AcceptanceRecord): string {
  return `${printableJson(record)}\n`
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
