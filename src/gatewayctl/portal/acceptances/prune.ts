// `portal acceptances prune`: deletes acceptances older than the retention period, after a summary and a confirmation.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { EXIT_MISUSED, Failure } from '../../failure.ts'
import { canConfirm, confirm } from '../../terminal/confirm.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { startProgress } from '../../terminal/progress.ts'
import { parseTime, TIME_HELP } from '../../time-argument.ts'
import { DATABASE, type DatabaseOptions, ledgerLocation, withDatabaseOptions } from './database.ts'
import { type LedgerPruner, openPruner, type Survey } from './ledger/pruning.ts'

const DAY = 24 * 3_600_000

interface PruneOptions extends DatabaseOptions {
  readonly olderThan: string
  readonly yes?: true
  readonly dryRun?: true
  readonly json?: true
}

export function pruneAcceptancesCommand(context: Context): Command {
  const command = createCommand(context, 'prune', {
    purpose: 'Deletes acceptances older than a time, with their attempts.',
    details: `
It prints what it would delete, and asks. Without a terminal it needs --yes. It
deletes nothing from the last 24 hours: attempts may still be in progress. The
texts stay: they are few, contain no personal data, and the portal needs them.
${TIME_HELP}
${DATABASE}`,
    examples: [
      'gatewayctl portal acceptances prune --older-than 400d --dry-run',
      'gatewayctl portal acceptances prune --older-than 400d',
      'gatewayctl portal acceptances prune --older-than 2025-01-01 --yes',
    ],
  })
    .addOption(
      new Option('--older-than <time>', 'delete acceptances requested before this time')
        .argParser((text) => parseLimit(text, context))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--dry-run', 'only print what would be deleted'))
    .addOption(new Option('--yes', 'do not ask').conflicts('dryRun'))
    .addOption(new Option('--json', 'print the result as one JSON document'))
  return withDatabaseOptions(command).action(async (options: PruneOptions) => {
    if (!options.yes && !options.dryRun && !canConfirm(context)) {
      throw new Failure(
        'there is no terminal for the confirmation: --yes deletes without it, --dry-run only prints what',
        EXIT_MISUSED,
      )
    }
    const pruner = await openPruner(ledgerLocation(context, options), context.clock)
    try {
      await prune(context, pruner, options)
    } finally {
      await pruner.close()
    }
  })
}

function parseLimit(text: string, context: Context): string {
  const moment = parseTime(text, context)
  if (Date.parse(moment) > context.clock() - DAY) throw new InvalidArgumentError('It must be at least a day ago.')
  return moment
}

async function prune(context: Context, pruner: LedgerPruner, options: PruneOptions): Promise<void> {
  const { olderThan, yes, dryRun, json } = options
  const survey = await pruner.survey(olderThan)
  const report = (deleted: number) =>
    json ? context.stdout.write(`${printableJson({ older_than: olderThan, ...survey, deleted }, 2)}\n`) : undefined
  if (!json) context.stdout.write(described(survey, olderThan))
  if (dryRun || survey.total === 0) {
    report(0)
    return
  }
  if (!yes && !(await confirm(context, `Delete ${acceptances(survey.total)}?`))) {
    throw new Failure('nothing was deleted')
  }
  let deleted = 0
  const progress = startProgress(context.stderr)
  const reportInterruption = () => {
    progress.clear()
    context.stderr.write(`${acceptances(deleted)} had been deleted.\n`)
  }
  process.once('exit', reportInterruption)
  for await (const count of pruner.prune(olderThan)) {
    deleted += count
    progress.show(`${deleted.toLocaleString('en')} of ${acceptances(survey.total)} deleted`)
  }
  process.removeListener('exit', reportInterruption)
  progress.clear()
  report(deleted)
  if (!json) context.stdout.write(`${acceptances(deleted)} deleted.\n`)
}

function described(survey: Survey, olderThan: string): string {
  if (survey.total === 0) return `No acceptance is older than ${olderThan}.\n`
  const { accepted, refused, pending } = survey.acceptances
  const count = (number: number) => number.toLocaleString('en').padStart(survey.total.toLocaleString('en').length)
  return `${[
    `Older than ${olderThan}: ${acceptances(survey.total)} with ${survey.attempts.toLocaleString('en')} attempts.`,
    `  accepted  ${count(accepted)}`,
    `  refused   ${count(refused)}`,
    `  unknown   ${count(pending)}  (pending: no response of the engine was recorded)`,
    `  oldest    ${printable(survey.oldest)}`,
    `  newest    ${printable(survey.newest)}`,
  ].join('\n')}\n`
}

const acceptances = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'acceptance' : 'acceptances'}`
