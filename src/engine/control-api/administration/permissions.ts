// Opens hosts for a time, whatever the rules say, and closes them again.
import * as z from 'zod'
import { MAXIMUM_PERMISSION_MINUTES, type OpenPermission } from '../../../contract/administration.ts'
import { parseWholeHost } from '../../../network/host-pattern.ts'
import { wholeHostAdvice } from '../../../network/host-pattern-advice.ts'
import { integer, parsed, text } from '../../../settings/shapes.ts'
import type { Permission } from '../../state/permissions.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, isoTime, limit } from './call.ts'

const FULL = 'There are 10,000 permissions already. End some of them.'

/** A permission is temporary: what covers every host, a part of one, or only those below it belongs in the policy. */
const host = parsed(
  'a host such as "casino.example", or ".casino.example" with all hosts below it',
  (given) => {
    const pattern = parseWholeHost(given)
    return pattern && { host: pattern.host, below: pattern.below }
  },
  wholeHostAdvice,
)

export function permissionCalls({ state, monitoring }: Administration) {
  return {
    ...administrationCall(
      'permissions/allow',
      z.strictObject({ host, minutes: integer(1, MAXIMUM_PERMISSION_MINUTES), by: text(1, 128) }),
      async ({ host, minutes, by }, from) => {
        const permission = await state.permit({ ...host, by, milliseconds: minutes * 60_000 })
        if (permission === undefined) return { refused: problem(409, FULL) }
        monitoring.administered({ event: 'permission.granted', from, ...auditable(permission) })
        return describePermission(permission)
      },
    ),
    ...administrationCall('permissions/list', z.strictObject({ limit }), async ({ limit }) => {
      const found = await state.permissions()
      return { permissions: found.slice(0, limit).map(describePermission), more: found.length > limit }
    }),
    ...administrationCall('permissions/end', z.strictObject({ host }), async ({ host }, from) => {
      const found = await state.permissions()
      const selected = found.filter((one) => one.host === host.host && one.below === host.below)
      let ended = 0
      for (const permission of selected) {
        if (!(await state.revoke(permission.id))) continue
        ended += 1
        monitoring.administered({ event: 'permission.ended', from, ...auditable(permission) })
      }
      const still = state.permissionFor(host.host)
      return { ended, still_open: still === undefined ? null : describePermission(still) }
    }),
  }
}

export function describePermission(permission: Permission): OpenPermission {
  const { by, createdAt, expiresAt } = permission
  return { host: hostLabel(permission), by, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) }
}

function auditable(permission: Permission) {
  return { host: hostLabel(permission), by: permission.by, until: isoTime(permission.expiresAt) }
}

function hostLabel({ host, below }: Permission): string {
  return `${below ? '.' : ''}${host}`
}
