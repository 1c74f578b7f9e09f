// `engine allow`, `engine permissions list` and `engine permissions end`.
import { type Command, Option } from 'commander'
import { MAXIMUM_PERMISSION_MINUTES, type Scope } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { createLocalTime } from '../local-time.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { parseMinutes } from '../time-argument.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { counted } from './load-result.ts'
import { endCommand, scopeOf, scopeText, withScope } from './scope.ts'
import { printList, withLimit } from './selection.ts'

const COLUMNS = ['host', 'created_at', 'expires_at', 'for', 'by'] as const

interface AllowOptions extends EngineOptions, Scope {
  /** Minutes. */
  readonly for: number
  readonly by: string
  readonly despite?: string
}

interface EndOptions extends EngineOptions, Scope {
  readonly everyone?: true
}

export function allowCommand(context: Context): Command {
  const command = createCommand(context, 'allow', {
    purpose: 'Opens a host for a time, whatever the rules say, but for locked ones.',
    details: `
casino.example is that host alone, .casino.example with all hosts below it. It
is open for everyone, or for those who match all of --client or --room, --user
and --group. What a rule with a switch stops while that is on stays closed
without --despite. The permission is logged with the name, expires, and survives
a restart. It lasts at most 31 days (30m, 2h, 7d): what is to last belongs in
the policy.
${ENGINE}`,
    examples: [
      "gatewayctl engine allow casino.example --for 2h --by 'Ms Rossi'",
      "gatewayctl engine allow news.example --for 45m --by 'Ms Rossi' --room 12 --group staff",
      "gatewayctl engine allow .videos.example --for 45m --by 'Mr Weber, room 12'",
    ],
  })
    .argument('<host>', 'the host, without a path')
    .addOption(
      new Option('--for <duration>', 'how long')
        .argParser((text) => parseMinutes(text, MAXIMUM_PERMISSION_MINUTES))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--by <name>', 'who allows it').makeOptionMandatory())
  withScope(command).addOption(new Option('--despite <switch>', 'also what rules with this switch stop'))
  return withEngineOptions(command).action(async (host: string, options: AllowOptions) => {
    const connection = await findEngine(context, options)
    const time = createLocalTime(context)
    const body = { host, minutes: options.for, by: options.by, despite: options.despite, ...scopeOf(options) }
    const permission = await callEngine(connection, 'permissions/allow', body)
    if (options.json) {
      context.stdout.write(`${printableJson(permission, 2)}\n`)
      return
    }
    const name = printable(permission.host)
    const hosts = name.startsWith('.') ? `${name.slice(1)} with all hosts below it` : name
    context.stdout.write(
      `${hosts} is open until ${time(permission.expires_at)} for ${scopeText(permission)}, by ${printable(permission.by)}.\n`,
    )
    context.stderr.write(`To close it earlier: ${endCommand(permission)}\n`)
  })
}

export function listPermissionsCommand(context: Context): Command {
  const command = createCommand(context, 'list', {
    purpose: 'Lists the hosts that are open for a time, earliest expiry first.',
    details: ENGINE.trim(),
    examples: ['gatewayctl engine permissions list', 'gatewayctl engine permissions list --json'],
  })
  return withEngineOptions(withLimit(command)).action(async (options: EngineOptions & { readonly limit: number }) => {
    const connection = await findEngine(context, options)
    const found = await callEngine(connection, 'permissions/list', { limit: options.limit })
    const next =
      'To close one: gatewayctl engine permissions end HOST with --everyone, --client, --room, --user or --group'
    printList(context, options, found, {
      columns: COLUMNS,
      rows: found.permissions.map((one) => ({ ...one, for: scopeText(one) })),
      none: 'No host is open for a time.',
      next,
    })
  })
}

export function endPermissionCommand(context: Context): Command {
  const command = createCommand(context, 'end', {
    purpose: 'Closes a host that was opened for a time: the rules apply to it again.',
    details: `
The host is spelt as in the list, with a dot at its beginning for all below it.
With --client, --room, --user or --group, it ends those for exactly these; with
--everyone, those for everyone alone; otherwise all for the host, whomever they
are for. The exit code is 1 if there is no such permission.
${ENGINE}`,
    examples: [
      'gatewayctl engine permissions end casino.example',
      'gatewayctl engine permissions end .videos.example --everyone',
      'gatewayctl engine permissions end news.example --room 12 --group staff',
    ],
  }).argument('<host>', 'the host, as the list prints it')
  withScope(command).addOption(new Option('--everyone', 'for everyone').conflicts(['client', 'room', 'user', 'group']))
  return withEngineOptions(command).action(async (host: string, options: EndOptions) => {
    const connection = await findEngine(context, options)
    const time = createLocalTime(context)
    const body = { host, everyone: options.everyone, ...scopeOf(options) }
    const result = await callEngine(connection, 'permissions/end', body)
    if (options.json) context.stdout.write(`${printableJson(result, 2)}\n`)
    const { ended, still_open: open } = result
    if (ended === 0) throw new Failure(`no permission is for ${host}: gatewayctl engine permissions list`)
    if (options.json) return
    context.stdout.write(`${counted(ended, 'permission')} ended.\n`)
    if (open === null) return
    context.stderr.write(
      `It is still open until ${time(open.expires_at)} for ${scopeText(open)}: ${endCommand(open)}\n`,
    )
  })
}
