// Lists and ends sessions.
import * as z from 'zod'
import type { Room } from '../../policy/room.ts'
import type { StateFilter } from '../../state/filter.ts'
import {
  type Administration,
  administrationCall,
  all,
  clientAddress,
  isoTime,
  limit,
  roomName,
  ruleName,
  userName,
} from './call.ts'

/** The caller must ask explicitly for all sessions to be ended. */
export const NAMED = 'Name "rule", "client", "room" or "user", or otherwise set "all" to true.'

export function sessionCalls({ policies, state, monitoring }: Administration) {
  const filter = {
    rule: ruleName.optional(),
    client: clientAddress.transform(({ address }) => address).optional(),
    room: roomName(policies).optional(),
    user: userName(policies).optional(),
  }
  const ending = z.strictObject({ ...filter, all: all.optional() }).refine(isNamed, NAMED)
  return {
    ...administrationCall('sessions/list', z.strictObject({ ...filter, limit }), async ({ limit, ...selected }) => {
      const found = await state.sessions(toFilter(selected), limit + 1)
      const sessions = found.slice(0, limit).map(({ rule, user = null, client, reference, startedAt, expiresAt }) => {
        return { rule, user, client, reference, started_at: isoTime(startedAt), expires_at: isoTime(expiresAt) }
      })
      return { sessions, more: found.length > limit }
    }),
    ...administrationCall('sessions/end', ending, async ({ all: _, ...selected }, from) => {
      const ended = await state.endSessions(toFilter(selected))
      monitoring.administered({ event: 'sessions.ended', from, ...selected, room: selected.room?.name, ended })
      return { ended }
    }),
  }
}

/** A room as its networks. */
export function toFilter({
  room,
  ...filter
}: Omit<StateFilter, 'room'> & { readonly room?: Room | undefined }): StateFilter {
  return { ...filter, networks: room?.networks, room: room?.name }
}

export function isNamed({ all, ...filter }: Readonly<Record<string, unknown>>): boolean {
  return (all === true) !== Object.values(filter).some((value) => value !== undefined)
}
