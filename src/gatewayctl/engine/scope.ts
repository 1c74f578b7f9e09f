// Whom a permission is for: the options of the verbs, and the words.
import { type Command, Option } from 'commander'
import type { OpenPermission, Scope } from '../../contract/administration.ts'
import { printable, quoted } from '../terminal/printable.ts'

export function withScope(command: Command): Command {
  return command
    .addOption(new Option('--client <network>', 'for clients of this network, or this address').conflicts('room'))
    .addOption(new Option('--room <name>', "for clients in this room of the policy's [rooms]"))
    .addOption(new Option('--user <name>', 'for this user'))
    .addOption(new Option('--group <name>', 'for users of this group'))
}

export function scopeOf({ client, room, user, group }: Scope): Scope {
  return { client, room, user, group }
}

/** `the user anna of the group staff in room 12, despite exam`; `everyone` */
export function scopeText({ client, room, user, group, despite }: OpenPermission): string {
  const place = room === null ? client && printable(client) : `room ${printable(room)}`
  const parts = [
    ...(user === null ? [] : [`the user ${printable(user)}`]),
    ...(group === null ? [] : [`${user === null ? '' : 'of '}the group ${printable(group)}`]),
    ...(place === null ? [] : [`${user === null && group === null ? 'clients ' : ''}in ${place}`]),
  ]
  const who = parts.length === 0 ? 'everyone' : parts.join(' ')
  return despite === null ? who : `${who}, despite ${printable(despite)}`
}

/** The command that ends exactly these permissions. */
export function endCommand({ host, client, room, user, group }: OpenPermission): string {
  const options = Object.entries({ client, room, user, group }).flatMap(([name, value]) =>
    value === null ? [] : [` --${name} ${quoted(value)}`],
  )
  // Without a scope, it would end those for others, too.
  const scope = options.length === 0 ? ' --everyone' : options.join('')
  return `gatewayctl engine permissions end ${quoted(host)}${scope}`
}
