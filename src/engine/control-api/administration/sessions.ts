// Lists and ends sessions.
import * as z from 'zod'
import {
  type Administration,
  administrationCall,
  all,
  clientAddress,
  isoTime,
  limit,
  ruleName,
  userName,
} from './call.ts'

/** The caller must ask explicitly for all sessions to be ended. */
export const NAMED = 'Name "rule", "client" or "user", or otherwise set "all" to true.'

export function sessionCalls({ policies, state, monitoring }: Administration) {
  const filter = {
    rule: ruleName.optional(),
    client: clientAddress.transform(({ address }) => address).optional(),
    user: userName(policies).optional(),
  }
  const ending = z.strictObject({ ...filter, all: all.optional() }).refine(isNamed, NAMED)
  return {
    ...administrationCall('sessions/list', z.strictObject({ ...filter, limit }), async ({ limit, ...selected }) => {
      const found = await state.sessions(selected, limit + 1)
      const sessions = found.slice(0, limit).map(({ rule, user = null, client, reference, startedAt, expiresAt }) => {
        return { rule, user, client, reference, started_at: isoTime(startedAt), expires_at: isoTime(expiresAt) }
      })
      return { sessions, more: found.length > limit }
    }),
    ...administrationCall('sessions/end', ending, async ({ all: _, ...selected }, from) => {
      const ended = await state.endSessions(selected)
      monitoring.administered({ event: 'sessions.ended', from, ...selected, ended })
      return { ended }
    }),
  }
}

export function isNamed({ all, ...filter }: Readonly<Record<string, unknown>>): boolean {
  return (all === true) !== Object.values(filter).some((value) => value !== undefined)
}
