// Lists and ends lockouts: the visitors may try again.
import * as z from 'zod'
import { parsed } from '../../../settings/shapes.ts'
import { parseClient } from '../../request/client.ts'
import { type Administration, administrationCall, all, isoTime, limit, roomName, ruleName, userName } from './call.ts'
import { isNamed, NAMED, toFilter } from './sessions.ts'

export function lockoutCalls({ policies, state, monitoring }: Administration) {
  const filter = {
    rule: ruleName.optional(),
    client: parsed('an IP address without a zone, or a network such as "2001:db8::/64"', parseNetwork).optional(),
    room: roomName(policies).optional(),
    user: userName(policies).optional(),
  }
  const ending = z.strictObject({ ...filter, all: all.optional() }).refine(isNamed, NAMED)
  return {
    ...administrationCall('lockouts/list', z.strictObject({ ...filter, limit }), async ({ limit, ...selected }) => {
      const found = await state.lockouts(toFilter(selected), limit + 1)
      const lockouts = found.slice(0, limit).map(({ rule, user = null, client = null, expiresAt }) => {
        return { rule, user, client, expires_at: isoTime(expiresAt) }
      })
      return { lockouts, more: found.length > limit }
    }),
    ...administrationCall('lockouts/end', ending, async ({ all: _, ...selected }, from) => {
      const ended = await state.endLockouts(toFilter(selected))
      monitoring.administered({ event: 'lockouts.ended', from, ...selected, room: selected.room?.name, ended })
      return { ended }
    }),
  }
}

/** The network by which wrong codes are counted, given as an address or as the list prints it. */
function parseNetwork(text: string): string | undefined {
  const network = parseClient(text.replace(/\/64$/, ''))?.network
  return text.endsWith('/64') && network?.includes(':') !== true ? undefined : network
}
