// `engine switch on`, `engine switch off` and `engine switch list`.
import { type Command, Option } from 'commander'
import { MAXIMUM_PERMISSION_MINUTES, type OpenSwitch } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { createLocalTime } from '../local-time.ts'
import { printable, printableJson, quoted } from '../terminal/printable.ts'
import { parseMinutes } from '../time-argument.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { printList, withLimit } from './selection.ts'

const COLUMNS = ['switch', 'for', 'created_at', 'expires_at', 'by'] as const

interface ScopeOptions extends EngineOptions {
  readonly room?: string
  readonly client?: string
  readonly everyone?: true
}

interface OnOptions extends ScopeOptions {
  /** Minutes. */
  readonly for: number
  readonly by: string
}

export function switchOnCommand(context: Context): Command {
  const command = createCommand(context, 'on', {
    purpose: 'Turns on the rules with this switch for a time.',
    details: `
For a room of the policy, a client address or network, or everyone. It is logged
with the name, turns off by itself, and survives a restart. It lasts at most 31
days (50m, 3h, 7d). Turned on again for the same room, it lasts as long as the
new command says. Open connections continue.
${ENGINE}`,
    examples: [
      "gatewayctl engine switch on exam --room 12 --for 3h --by 'Ms Rossi'",
      "gatewayctl engine switch on exam --client 192.168.12.0/24 --for 3h --by 'Ms Rossi'",
      "gatewayctl engine switch on exam --everyone --for 90m --by 'Mr Weber'",
    ],
  })
    .argument('<switch>', 'its name in the policy')
    .addOption(
      new Option('--for <duration>', 'how long')
        .argParser((text) => parseMinutes(text, MAXIMUM_PERMISSION_MINUTES))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--by <name>', 'who turns it on').makeOptionMandatory())
  return withScope(command, []).action(async (name: string, options: OnOptions) => {
    const { room, client, everyone } = options
    if ([room, client, everyone].every((value) => value === undefined)) {
      throw new Failure('name --room, --client or --everyone', EXIT_MISUSED)
    }
    const connection = await findEngine(context, options)
    const time = createLocalTime(context)
    const body = { switch: name, room, client, everyone, minutes: options.for, by: options.by }
    const result = await callEngine(connection, 'switches/on', body)
    if (options.json) {
      context.stdout.write(`${printableJson(result, 2)}\n`)
      return
    }
    for (const one of result.switches) {
      const until = `until ${time(one.expires_at)}, by ${printable(one.by)}`
      context.stdout.write(`${printable(one.switch)} is on for ${forWhom(one)} ${until}.\n`)
    }
    context.stderr.write(`To turn it off earlier: gatewayctl engine switch off ${quoted(name)} ${scopeText(options)}\n`)
  })
}

export function switchOffCommand(context: Context): Command {
  const command = createCommand(context, 'off', {
    purpose: 'Turns off a switch before its time.',
    details: `
For exactly the room, network or everyone that it was turned on for, or wherever
it is on. The exit code is 1 if it was not on there.
${ENGINE}`,
    examples: ['gatewayctl engine switch off exam --room 12', 'gatewayctl engine switch off exam --all'],
  })
    .argument('<switch>', 'its name in the policy')
    .addOption(new Option('--all', 'wherever it is on').conflicts(['room', 'client', 'everyone']))
  return withScope(command, ['all']).action(async (name: string, options: ScopeOptions & { readonly all?: true }) => {
    const { room, client, everyone, all } = options
    if ([room, client, everyone, all].every((value) => value === undefined)) {
      throw new Failure('name --room, --client or --everyone, or --all', EXIT_MISUSED)
    }
    const connection = await findEngine(context, options)
    const result = await callEngine(connection, 'switches/off', { switch: name, room, client, everyone, all })
    if (options.json) context.stdout.write(`${printableJson(result, 2)}\n`)
    const still = result.still_on.map(forWhom).join(', ')
    const rest = still === '' ? '' : `it is on for ${still}`
    if (result.ended === 0) throw new Failure(`${printable(name)} was not on there${rest === '' ? '' : `; ${rest}`}`)
    if (options.json) return
    context.stdout.write(`${printable(name)} is off ${all ? 'everywhere' : `for ${whom(options)}`}.\n`)
    if (rest !== '') context.stderr.write(`Still, ${rest}.\n`)
  })
}

export function listSwitchesCommand(context: Context): Command {
  const command = createCommand(context, 'list', {
    purpose: 'Lists the switches that are on, and names those that are off.',
    details: ENGINE.trim(),
    examples: ['gatewayctl engine switch list', 'gatewayctl engine switch list --json'],
  })
  return withEngineOptions(withLimit(command)).action(async (options: EngineOptions & { readonly limit: number }) => {
    const connection = await findEngine(context, options)
    const found = await callEngine(connection, 'switches/list', { limit: options.limit })
    const next = 'To turn one off: gatewayctl engine switch off NAME with --room, --client, --everyone or --all'
    printList(context, options, found, {
      columns: COLUMNS,
      rows: found.switches.map((one) => ({ ...one, for: forWhom(one) })),
      none: 'No switch is on.',
      next,
    })
    const off = found.names.filter((name) => !found.switches.some((one) => one.switch === name))
    if (!options.json && off.length > 0) context.stderr.write(`Off: ${off.map(printable).join(', ')}\n`)
  })
}

function withScope(command: Command, others: readonly string[]): Command {
  return withEngineOptions(
    command
      .addOption(
        new Option('--room <name>', 'for this room of the policy').conflicts(['client', 'everyone', ...others]),
      )
      .addOption(
        new Option('--client <network>', 'for this client address or network').conflicts(['everyone', ...others]),
      )
      .addOption(new Option('--everyone', 'for all clients').conflicts([...others])),
  )
}

function scopeText({ room, client }: Pick<ScopeOptions, 'room' | 'client'>): string {
  if (room !== undefined) return `--room ${quoted(room)}`
  return client === undefined ? '--everyone' : `--client ${quoted(client)}`
}

function forWhom({ network, room }: OpenSwitch): string {
  if (network === null) return 'everyone'
  return room === null ? printable(network) : `room ${printable(room)} (${printable(network)})`
}

function whom({ room, client }: Pick<ScopeOptions, 'room' | 'client'>): string {
  if (room !== undefined) return `room ${printable(room)}`
  return client === undefined ? 'everyone' : printable(client)
}
