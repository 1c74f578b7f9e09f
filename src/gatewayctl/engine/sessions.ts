// `engine sessions list` and `engine sessions end`.
import type { Command } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { callEngine } from './client.ts'
import { ENGINE, findEngine } from './connection.ts'
import { counted } from './load-result.ts'
import {
  type EndOptions,
  endSelected,
  type ListOptions,
  printList,
  selected,
  withEndOptions,
  withListOptions,
} from './selection.ts'

const COLUMNS = ['started_at', 'expires_at', 'client', 'user', 'rule'] as const
const WHAT = `
A session opens what one rule stops, for one user, or for one address where the
proxy names no user.`

export function listSessionsCommand(context: Context): Command {
  const command = createCommand(context, 'list', {
    purpose: 'Lists the sessions of visitors who acknowledged, the newest first.',
    details: `${WHAT.trim()}\n${ENGINE}`,
    examples: [
      'gatewayctl engine sessions list --user anna',
      "gatewayctl engine sessions list --rule news --json | jq '.sessions[].client'",
    ],
  })
  return withListOptions(command).action(async (options: ListOptions) => {
    const connection = await findEngine(context, options)
    const found = await callEngine(connection, 'sessions/list', { ...selected(options), limit: options.limit })
    const next = 'To end some: gatewayctl engine sessions end with --rule, --client, --room or --user'
    printList(context, options, found, { columns: COLUMNS, rows: found.sessions, none: 'No session matches.', next })
  })
}

export function endSessionsCommand(context: Context): Command {
  const command = createCommand(context, 'end', {
    purpose: 'Ends sessions: the visitors see the page again.',
    details: `
New requests are stopped within a second, by every engine with this database.
Connections that are open, such as WebSockets, continue.
${ENGINE}`,
    examples: [
      'gatewayctl engine sessions end --user anna',
      'gatewayctl engine sessions end --rule news --client 198.51.100.7',
      "gatewayctl engine sessions end --room 'room 12'",
      'gatewayctl engine sessions end --all',
    ],
  })
  return withEndOptions(command).action((options: EndOptions) =>
    endSelected(context, options, 'sessions', (ended) => `${counted(ended, 'session')} ended.`),
  )
}
