// `engine code new`, `engine code list` and `engine code end`.
import { type Command, Option } from 'commander'
import { MAXIMUM_PERMISSION_MINUTES } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { createLocalTime } from '../local-time.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { parseMinutes } from '../time-argument.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { printList, withLimit } from './selection.ts'

const COLUMNS = ['id', 'rule', 'created_at', 'expires_at', 'by'] as const

interface NewOptions extends EngineOptions {
  readonly rule: string
  /** Minutes. */
  readonly for: number
  readonly by?: string
}

export function newLessonCodeCommand(context: Context): Command {
  const command = createCommand(context, 'new', {
    purpose: 'Prints a random code that opens a rule for a time.',
    details: `
The rule needs an override: the code has its type and length. Visitors enter it
on the rule's page, as one of its codes; wrong ones count as usual. It ends by
itself, with the sessions that it opened, after at most 31 days (50m, 3h, 7d). A
rule has at most 100 of them at a time. The engine stores a keyed hash, and logs
the code's id, never the code: it is printed only once.
${ENGINE}`,
    examples: [
      'gatewayctl engine code new --rule videos --for 50m',
      "gatewayctl engine code new --rule videos --for 50m --by 'Ms Rossi'",
    ],
  })
    .addOption(new Option('--rule <name>', 'the rule that it opens').makeOptionMandatory())
    .addOption(
      new Option('--for <duration>', 'how long')
        .argParser((text) => parseMinutes(text, MAXIMUM_PERMISSION_MINUTES))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--by <name>', 'who asks for it'))
  return withEngineOptions(command).action(async (options: NewOptions) => {
    const connection = await findEngine(context, options)
    const time = createLocalTime(context)
    const body = { rule: options.rule, minutes: options.for, by: options.by }
    const created = await callEngine(connection, 'codes/new', body)
    context.stdout.write(options.json ? `${printableJson(created, 2)}\n` : `${printable(created.code)}\n`)
    if (options.json) return
    context.stderr.write(`It opens the rule ${printable(created.rule)} until ${time(created.expires_at)}.\n`)
    context.stderr.write(`To end it earlier: gatewayctl engine code end ${printable(created.id)}\n`)
  })
}

export function listLessonCodesCommand(context: Context): Command {
  const command = createCommand(context, 'list', {
    purpose: 'Lists the lesson codes in force by their ids, earliest expiry first.',
    details: ENGINE.trim(),
    examples: ['gatewayctl engine code list', 'gatewayctl engine code list --json'],
  })
  return withEngineOptions(withLimit(command)).action(async (options: EngineOptions & { readonly limit: number }) => {
    const connection = await findEngine(context, options)
    const found = await callEngine(connection, 'codes/list', { limit: options.limit })
    printList(context, options, found, {
      columns: COLUMNS,
      rows: found.codes,
      none: 'No lesson code is in force.',
      next: 'To end one: gatewayctl engine code end ID',
    })
  })
}

export function endLessonCodeCommand(context: Context): Command {
  const command = createCommand(context, 'end', {
    purpose: 'Ends a lesson code, and the sessions that it opened.',
    details: `
The exit code is 1 if there is no such code.
${ENGINE}`,
    examples: ['gatewayctl engine code end 4f1c09d2a7b3'],
  }).argument('<id>', 'its id, as the list prints it')
  return withEngineOptions(command).action(async (id: string, options: EngineOptions) => {
    const connection = await findEngine(context, options)
    const result = await callEngine(connection, 'codes/end', { id })
    if (options.json) context.stdout.write(`${printableJson(result, 2)}\n`)
    if (result.ended === 0) throw new Failure('no lesson code has this id: gatewayctl engine code list')
    if (!options.json) context.stdout.write('The code has ended.\n')
  })
}
