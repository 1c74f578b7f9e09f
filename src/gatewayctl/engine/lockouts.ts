// `engine lockouts list` and `engine lockouts end`.
import type { Command } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { callEngine } from './client.ts'
import { ENGINE, findEngine } from './connection.ts'
import {
  type EndOptions,
  endSelected,
  type ListOptions,
  printList,
  selected,
  withEndOptions,
  withListOptions,
} from './selection.ts'

const COLUMNS = ['expires_at', 'client', 'user', 'rule'] as const

export function listLockoutsCommand(context: Context): Command {
  const command = createCommand(context, 'list', {
    purpose: 'Lists who entered too many wrong codes, latest expiry first.',
    details: `
Codes are counted per rule and user, or per address where the proxy names no
user; of IPv6 per /64.
${ENGINE}`,
    examples: ['gatewayctl engine lockouts list', 'gatewayctl engine lockouts list --rule laboratory --json'],
  })
  return withListOptions(command).action(async (options: ListOptions) => {
    const connection = await findEngine(context, options)
    const found = await callEngine(connection, 'lockouts/list', { ...selected(options), limit: options.limit })
    const next = 'To let somebody try again: gatewayctl engine lockouts end with --rule, --client, --room or --user'
    printList(context, options, found, { columns: COLUMNS, rows: found.lockouts, none: 'No lockout matches.', next })
  })
}

export function endLockoutsCommand(context: Context): Command {
  const command = createCommand(context, 'end', {
    purpose: 'Ends lockouts, and deletes wrong codes: the visitors may try again.',
    details: `
It also deletes wrong codes that have not led to a lockout yet.
${ENGINE}`,
    examples: [
      'gatewayctl engine lockouts end --client 198.51.100.7',
      'gatewayctl engine lockouts end --user anna --rule laboratory',
    ],
  })
  return withEndOptions(command).action((options: EndOptions) =>
    endSelected(
      context,
      options,
      'lockouts',
      (ended) =>
        `${ended.toLocaleString('en')} ${ended === 1 ? 'count of wrong codes was' : 'counts of wrong codes were'} deleted.`,
    ),
  )
}
