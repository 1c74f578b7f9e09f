// `portal acceptances copy`: copies the ledger into another database, for moving to PostgreSQL or back.
import { isDeepStrictEqual } from 'node:util'
import { type Command, Option } from 'commander'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { startProgress } from '../../terminal/progress.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, namedLocation, withDatabaseOptions } from './database.ts'
import { type LedgerCopier, openCopier, type Verification } from './ledger/copying.ts'

interface CopyOptions extends DatabaseOptions {
  readonly toDatabaseUrl?: string
  readonly toDatabaseUrlFile?: string
  readonly json?: true
}

const MAX_LISTED = 10

export function copyAcceptancesCommand(context: Context): Command {
  const command = createCommand(context, 'copy', {
    purpose: 'Copies the whole ledger into another database, and compares both.',
    details: `
For moving from SQLite to PostgreSQL, or back, and for backups. Creates missing
tables. Records in the destination stay, even those that were pruned from the
source: "only in destination" counts them. After an interruption, run it again:
it adds what is missing. At the end it reads both ledgers again and compares
every value; the exit code is 1 if something differs. What a portal records
meanwhile is copied as well.

To move, run it while the portal runs, stop the portal, and run it again: the
second run is short, and no record is lost.
${DATABASE}
--to-database-url-file names the destination in the same way.`,
    examples: [
      'gatewayctl portal acceptances copy --to-database-url-file new-url',
      'gatewayctl portal acceptances copy --database-url-file old-url --to-database-url-file new-url --json',
    ],
  })
    .addOption(new Option('--to-database-url-file <file>', 'read the URL of the destination from this file'))
    .addOption(new Option('--to-database-url <url>', 'the URL of the destination').conflicts('toDatabaseUrlFile'))
    .addOption(new Option('--json', 'print the result as one JSON document'))
  return withDatabaseOptions(command).action(async (options: CopyOptions) => {
    const { toDatabaseUrl, toDatabaseUrlFile } = options
    if (toDatabaseUrl === undefined && toDatabaseUrlFile === undefined) {
      throw new Failure('--to-database-url-file must name a file with the URL of the destination', EXIT_MISUSED)
    }
    const from = ledgerLocation(context, options)
    const to = namedLocation(
      context,
      {
        ...(toDatabaseUrl !== undefined && { databaseUrl: toDatabaseUrl }),
        ...(toDatabaseUrlFile !== undefined && { databaseUrlFile: toDatabaseUrlFile }),
      },
      '--to-',
    )
    if (isDeepStrictEqual(from, to)) throw new Failure('source and destination are the same database', EXIT_MISUSED)
    if (to.dialect === 'sqlite' && to.path === ':memory:') {
      throw new Failure('the destination would be lost with this process: its URL needs a path', EXIT_MISUSED)
    }
    const copier = await openCopier(from, to, context.clock)
    try {
      await copy(context, copier, options.json)
    } finally {
      await copier.close()
    }
  })
}

async function copy(context: Context, copier: LedgerCopier, json: true | undefined): Promise<void> {
  const progress = startProgress(context.stderr)
  let [done, added, completed] = [0, 0, 0]
  for await (const batch of copier.copy()) {
    done += batch.acceptances
    added += batch.added
    completed += batch.completed
    progress.show(`${done.toLocaleString('en')} acceptances read, ${added.toLocaleString('en')} of them copied`)
  }
  progress.show('comparing …')
  const found = await copier.verify()
  progress.clear()
  const isWhole = found.differing.length === 0 && found.alteredDocuments.length === 0
  context.stdout.write(
    json
      ? `${printableJson({ whole: isWhole, added, completed, ...found }, 2)}\n`
      : described({ added, completed }, found),
  )
  if (!isWhole) throw new Failure(whatDiffers(found))
}

function described({ added, completed }: { added: number; completed: number }, found: Verification): string {
  const { source, destination } = found.sha256
  const count = (number: number) => number.toLocaleString('en')
  return `${[
    `copied       ${count(added)} acceptances, ${count(completed)} completed`,
    `compared     ${count(found.acceptances)} acceptances, ${count(found.attempts)} attempts, ${count(found.documents)} texts`,
    `source       SHA-256 ${source}`,
    `destination  SHA-256 ${destination}${source === destination ? '' : ' (they differ)'}`,
    ...(found.onlyInDestination > 0 ? [`only in destination: ${count(found.onlyInDestination)}`] : []),
  ].join('\n')}\n`
}

function whatDiffers({ differing, alteredDocuments }: Verification): string {
  const list = (names: readonly string[]) =>
    [...names.slice(0, MAX_LISTED), ...(names.length > MAX_LISTED ? ['…'] : [])].map(printable).join(', ')
  return [
    ...(differing.length > 0
      ? [
          `${differing.length} acceptances differ in the destination: ${list(differing)}.`,
          'Each contradicts its copy: a record was altered.',
        ]
      : []),
    ...(alteredDocuments.length > 0
      ? [`${alteredDocuments.length} texts are missing or altered: ${list(alteredDocuments)}.`]
      : []),
  ].join('\n')
}
