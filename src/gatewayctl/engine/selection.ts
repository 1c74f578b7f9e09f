// Shared by the verbs that list and end: the options that select, the list on the terminal, and ending what is selected.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type AdministrationRequest, MAXIMUM_LISTED, type Selection } from '../../contract/administration.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { createLocalTime } from '../local-time.ts'
import { printableJson } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { callEngine } from './client.ts'
import { type EngineOptions, findEngine, withEngineOptions } from './connection.ts'

export interface ListOptions extends EngineOptions, Selection {
  readonly limit: number
}

export interface EndOptions extends EngineOptions, Selection {
  readonly all?: true
}

export interface ListView<Column extends string> {
  readonly columns: readonly Column[]
  readonly rows: readonly Readonly<Record<Column, unknown>>[]
  /** Printed where there is no row. */
  readonly none: string
  /** What an operator may do next. */
  readonly next: string
}

export function withListOptions(command: Command): Command {
  return withEngineOptions(withLimit(withSelection(command)))
}

export function withLimit(command: Command): Command {
  return command.addOption(new Option('--limit <count>', 'how many at most').argParser(parseLimit).default(100))
}

export function withEndOptions(command: Command): Command {
  return withEngineOptions(
    withSelection(command).addOption(new Option('--all', 'all of them').conflicts(['rule', 'client', 'room', 'user'])),
  )
}

export function selected({ rule, client, room, user }: Selection): Selection {
  return { rule, client, room, user }
}

/** Prints the engine's response: as JSON, or as a table of its rows. */
export function printList<Column extends string>(
  context: Context,
  { json }: EngineOptions,
  response: { readonly more: boolean },
  { columns, rows, none, next }: ListView<Column>,
): void {
  if (json) {
    context.stdout.write(`${printableJson(response, 2)}\n`)
    return
  }
  if (rows.length > 0) context.stdout.write(table(context, columns, withLocalTimes(context, rows)))
  const count = rows.length.toLocaleString('en')
  const shown = response.more ? `The first ${count}; more match (--limit shows more)` : `${count} in all`
  context.stderr.write(rows.length === 0 ? `${none}\n` : `${shown}. ${next}\n`)
}

/** Columns `…_at` are times. */
function withLocalTimes<Column extends string>(
  context: Context,
  rows: readonly Readonly<Record<Column, unknown>>[],
): readonly Readonly<Record<Column, unknown>>[] {
  const time = createLocalTime(context)
  const shown = ([name, value]: [string, unknown]) => {
    return [name, typeof value === 'string' && name.endsWith('_at') ? time(value) : value]
  }
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(shown)) as Record<Column, unknown>)
}

/**
 * Ends what the options select, and prints how many.
 * @param said the sentence about that number
 * @throws {Failure} when nothing is selected
 */
export async function endSelected(
  context: Context,
  options: EndOptions,
  what: 'sessions' | 'lockouts',
  said: (ended: number) => string,
): Promise<void> {
  const selection = selectedToEnd(options)
  const result = await callEngine(await findEngine(context, options), `${what}/end`, selection)
  context.stdout.write(options.json ? `${printableJson(result, 2)}\n` : `${said(result.ended)}\n`)
  if (options.json || result.ended > 0) return
  context.stderr.write(`To list them: gatewayctl engine ${what} list\n`)
}

/** @throws {Failure} */
function selectedToEnd(options: EndOptions): AdministrationRequest<'sessions/end'> {
  const { rule, client, room, user, all } = options
  if ([rule, client, room, user, all].every((value) => value === undefined)) {
    throw new Failure('name --rule, --client, --room or --user, or --all', EXIT_MISUSED)
  }
  return { ...selected(options), all }
}

function withSelection(command: Command): Command {
  return command
    .addOption(new Option('--rule <name>', 'of exactly this rule'))
    .addOption(new Option('--client <address>', 'of this client address').conflicts('room'))
    .addOption(new Option('--room <name>', "of the clients in this room of the policy's [rooms]"))
    .addOption(new Option('--user <name>', 'of this user'))
}

function parseLimit(text: string): number {
  const limit = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= MAXIMUM_LISTED))
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAXIMUM_LISTED}.`)
  return limit
}
