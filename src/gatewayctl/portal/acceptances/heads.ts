// `portal acceptances heads`: prints the ledger's signed heads, to be kept outside of the database.
import { type Command, Option } from 'commander'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { table } from '../../terminal/table.ts'
import { parseTime, TIME_HELP } from '../../time-argument.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { readHeads } from './verifying/verify.ts'

interface HeadsOptions extends DatabaseOptions {
  readonly since?: string
  readonly json?: true
}

const COLUMNS = ['at', 'size', 'number', 'portal', 'root'] as const

export function headsCommand(context: Context): Command {
  const command = createCommand(context, 'heads', {
    purpose: "Prints the ledger's signed heads, the oldest first.",
    details: `
Every hour a portal appends a head: a signature over the attempts that were
completed since. Keep what --json prints where nobody who can write to the
database can change it: "verify --heads FILE" compares the ledger with it. The
portal's log has the same lines.
${TIME_HELP}
${DATABASE}`,
    examples: [
      'gatewayctl portal acceptances heads --since 1d',
      'gatewayctl portal acceptances heads --json > heads.jsonl',
    ],
  })
    .addOption(
      new Option('--since <time>', 'those signed from this time on').argParser((text) => parseTime(text, context)),
    )
    .addOption(new Option('--json', 'print one JSON object per line, with key and signature'))
  return withDatabaseOptions(command).action(async ({ since, json, ...options }: HeadsOptions) => {
    const heads = await readHeads(ledgerLocation(context, options), since)
    if (json) {
      for (const head of heads) context.stdout.write(`${printableJson({ event: 'ledger.head', ...head })}\n`)
      return
    }
    if (heads.length > 0) context.stdout.write(table(context, COLUMNS, heads))
    for (const key of new Set(heads.map(({ key }) => key))) context.stderr.write(`Public key: ${printable(key)}\n`)
    if (heads.length === 0) context.stderr.write('There is no head.\n')
  })
}
