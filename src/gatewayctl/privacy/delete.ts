// `privacy delete`: deletes what is stored about a person, first in the ledgers, which only the engines' rows lead to.
import { type Command, Option } from 'commander'
import type { PersonDeletion } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { canConfirm, confirm } from '../terminal/confirm.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { type Gathered, gather } from './gather.ts'
import { PERSON, type PersonOptions, SOURCES, withPersonOptions } from './person-options.ts'
import { elsewhereLines, foundRows, summaryLines } from './summary.ts'

interface DeleteOptions extends PersonOptions {
  readonly by?: string
  readonly attempts?: true
  readonly dryRun?: true
  readonly yes?: true
}

interface Deleted {
  readonly engines: readonly (PersonDeletion & { readonly engine: string })[]
  readonly acceptances: number
  /** Files in which deleted bytes may still be, and why. */
  readonly remains: readonly string[]
}

export function deletePersonCommand(context: Context): Command {
  const command = createCommand(context, 'delete', {
    purpose: 'Deletes what is stored about a person.',
    details: `
It prints what it would delete, and asks. Without a terminal it needs --yes. The
person's sessions and permissions end on every engine within a second. A count
of wrong codes that is in force stays until it ends, because its deletion would
allow new guesses: --attempts deletes it, too. The totals of reports name
nobody, and stay. Logs and backups stay until their time: the output has it.
SQLite's files are rewritten: acknowledgements wait meanwhile.

If an engine or a ledger cannot be reached, it deletes nothing. The deletion is
recorded with --by, without the person.
${PERSON}${SOURCES}`,
    examples: [
      'gatewayctl privacy delete --user anna --dry-run',
      "gatewayctl privacy delete --user anna --by 'Ms Rossi'",
      "gatewayctl privacy delete --client 192.168.1.20 --by 'Ms Rossi' --yes",
    ],
  })
    .addOption(new Option('--by <name>', 'who deletes it'))
    .addOption(new Option('--attempts', 'also counts of wrong codes that are in force'))
    .addOption(new Option('--dry-run', 'only print what would be deleted'))
    .addOption(new Option('--yes', 'do not ask').conflicts('dryRun'))
    .addOption(new Option('--json', 'print the result as one JSON document'))
  return withPersonOptions(command).action((options: DeleteOptions) => run(context, options))
}

async function run(context: Context, options: DeleteOptions): Promise<void> {
  const { by, yes, dryRun, json } = options
  if (by === undefined && !dryRun) throw new Failure('--by must name who deletes it', EXIT_MISUSED)
  if (!yes && !dryRun && !canConfirm(context)) {
    throw new Failure(
      'there is no terminal for the confirmation: --yes deletes without it, --dry-run only prints what',
      EXIT_MISUSED,
    )
  }
  const gathered = await gather(context, options)
  const { unreachable, elsewhere } = gathered
  if (!json) context.stdout.write(`${summaryLines(gathered).join('\n')}\n`)
  if (unreachable.length > 0) throw new Failure(`nothing was deleted: ${unreachable.join('; ')}`)
  const rows = foundRows(gathered)
  if (by !== undefined && !dryRun && rows > 0) {
    if (!yes && !(await confirm(context, `Delete ${rows.toLocaleString('en')} rows?`))) {
      throw new Failure('nothing was deleted')
    }
  }
  const deleted = by === undefined || dryRun ? undefined : await deleteAll(gathered, by, options.attempts === true)
  if (json) context.stdout.write(`${printableJson(documentOf(gathered, deleted), 2)}\n`)
  else context.stdout.write(`${[...resultLines(deleted), ...elsewhereLines(elsewhere)].join('\n')}\n`)
  if (deleted !== undefined && deleted.remains.length > 0) {
    throw new Failure(`deleted bytes may remain, run it again: ${deleted.remains.join('; ')}`)
  }
}

/** The ledgers first: were the engines' rows deleted first, and a ledger failed, nothing would lead to its acceptances. */
async function deleteAll({ engines, ledgers }: Gathered, by: string, attempts: boolean): Promise<Deleted> {
  const remains: string[] = []
  let acceptances = 0
  for (const ledger of ledgers) {
    const result = await ledger.delete()
    acceptances += result.deleted
    if (result.remains !== undefined) remains.push(result.remains)
  }
  const deletions: (PersonDeletion & { readonly engine: string })[] = []
  for (const engine of engines) {
    const deletion = await engine.delete(by, attempts)
    deletions.push({ engine: engine.engine, ...deletion })
    remains.push(...deletion.remains)
  }
  return { engines: deletions, acceptances, remains }
}

function documentOf({ person, elsewhere, engines, ledgers }: Gathered, deleted: Deleted | undefined): object {
  return {
    person,
    found: {
      engines: engines.map(({ engine, count }) => ({ engine, ...count.rows })),
      ledgers: ledgers.map(({ ledger, acceptances }) => ({ ledger, acceptances: acceptances.length })),
    },
    deleted: deleted ?? null,
    elsewhere: elsewhere.map(({ what, where, kept }) => ({ what, where, kept })),
  }
}

function resultLines(deleted: Deleted | undefined): readonly string[] {
  if (deleted === undefined) return ['Nothing was deleted.']
  const { engines, acceptances } = deleted
  const count = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, one) => sum + one, 0)
  const rows = engines.reduce((sum, one) => sum + count(one.deleted), 0)
  const kept = engines.flatMap((one) => keptLines(one))
  return [
    `${(rows + acceptances).toLocaleString('en')} rows were deleted, ${acceptances.toLocaleString('en')} of them acceptances.`,
    ...kept,
  ]
}

function keptLines({ kept: { attempts, redemptions } }: PersonDeletion): readonly string[] {
  return [
    ...(attempts === null
      ? []
      : [
          `Kept until ${attempts.until}, against guessing: ${attempts.rows} counts of wrong codes. --attempts deletes them.`,
        ]),
    ...(redemptions === null
      ? []
      : [
          `Kept until ${redemptions.until}, against repetition: the references of ${redemptions.rows} redeemed verdicts, which name nobody.`,
        ]),
  ].map(printable)
}
