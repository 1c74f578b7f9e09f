// Opens hosts for a time, for everyone or for some, and closes them again.
import * as z from 'zod'
import { MAXIMUM_PERMISSION_MINUTES, type OpenPermission } from '../../../contract/administration.ts'
import { rangeText } from '../../../network/address-range.ts'
import { parseWholeHost } from '../../../network/host-pattern.ts'
import { wholeHostAdvice } from '../../../network/host-pattern-advice.ts'
import { integer, parsed, text } from '../../../settings/shapes.ts'
import type { PermissionScope } from '../../policy/opening.ts'
import type { Policy } from '../../policy/policy.ts'
import { switchNames } from '../../policy/switches.ts'
import { addressRange, name } from '../../policy/value-shapes.ts'
import type { Permission } from '../../state/permissions.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, all, isoTime, limit, userName } from './call.ts'

export const ONE_PLACE = 'Either "client" or "room" may be set.'
const EVERYONE = '"everyone" cannot be set with a scope.'
const FULL = 'There are 10,000 permissions already. End some of them.'

/** A permission is temporary: what covers every host, a part of one, or only those below it belongs in the policy. */
export const wholeHost = parsed(
  'a host such as "casino.example", or ".casino.example" with all hosts below it',
  (given) => {
    const pattern = parseWholeHost(given)
    return pattern && { host: pattern.host, below: pattern.below }
  },
  wholeHostAdvice,
)

export function permissionCalls({ policies, state, monitoring }: Administration) {
  const scope = {
    ...{ client: addressRange.optional(), room: name.optional() },
    ...{ user: userName(policies).optional(), group: name.optional() },
  }
  const ending = z
    .strictObject({ host: wholeHost, ...scope, everyone: all.optional() })
    .refine(hasOnePlace, ONE_PLACE)
    .refine(({ host: _, everyone, ...given }) => everyone === undefined || namesNobody(given), EVERYONE)
  return {
    ...administrationCall(
      'permissions/allow',
      z
        .strictObject({
          ...{ host: wholeHost, minutes: integer(1, MAXIMUM_PERMISSION_MINUTES), by: text(1, 128) },
          ...scope,
          despite: name.optional(),
        })
        .refine(hasOnePlace, ONE_PLACE),
      async ({ host, minutes, ...given }, from) => {
        const unknown = unknownName(policies.current, given)
        if (unknown !== undefined) return { refused: problem(400, unknown) }
        const permission = await state.permit({ ...host, ...given, milliseconds: minutes * 60_000 })
        if (permission === undefined) return { refused: problem(409, FULL) }
        monitoring.administered({ event: 'permission.granted', from, ...auditable(permission) })
        return describePermission(permission)
      },
    ),
    ...administrationCall('permissions/list', z.strictObject({ limit }), async ({ limit }) => {
      const found = await state.permissions()
      return { permissions: found.slice(0, limit).map(describePermission), more: found.length > limit }
    }),
    ...administrationCall('permissions/end', ending, async ({ host, everyone, ...given }, from) => {
      const isAny = everyone === undefined && namesNobody(given)
      const isSelected = (one: Permission) =>
        one.host === host.host && one.below === host.below && (isAny || hasScope(one, given))
      let ended = 0
      for (const permission of (await state.permissions()).filter(isSelected)) {
        if (!(await state.revoke(permission.id))) continue
        ended += 1
        monitoring.administered({ event: 'permission.ended', from, ...auditable(permission) })
      }
      const [still] = state.permissionsFor(host.host)
      return { ended, still_open: still === undefined ? null : describePermission(still) }
    }),
  }
}

export function describePermission(permission: Permission): OpenPermission {
  const { client, room = null, user = null, group = null, despite = null, by, createdAt, expiresAt } = permission
  return {
    host: hostLabel(permission),
    client: client === undefined ? null : rangeText(client),
    ...{ room, user, group, despite, by },
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
  }
}

export function hasOnePlace({ client, room }: { readonly client?: unknown; readonly room?: unknown }): boolean {
  return client === undefined || room === undefined
}

function namesNobody(given: Partial<PermissionScope>): boolean {
  return Object.values(given).every((value) => value === undefined)
}

/** A mistyped name would open nothing. */
function unknownName(
  { groups, rooms, rules }: Policy,
  { room, group, despite }: { readonly [key in 'room' | 'group' | 'despite']?: string | undefined },
): string | undefined {
  const switches = switchNames(rules)
  const [groupNames, roomNames] = [groups, rooms].map((all) => all.map(({ name }) => name)) as [string[], string[]]
  if (group !== undefined && !groupNames.includes(group)) {
    return `"group" must name one of [groups]: ${listed(groupNames)}.`
  }
  if (room !== undefined && !roomNames.includes(room)) return `"room" must name one of [rooms]: ${listed(roomNames)}.`
  if (despite === undefined || switches.includes(despite)) return undefined
  return `"despite" must name a switch of a rule: ${listed(switches)}.`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((one) => JSON.stringify(one))
  if (shown.length === 0) return 'there is none'
  return names.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ')
}

function hasScope(one: PermissionScope, given: Partial<PermissionScope>): boolean {
  const network = (scope: Partial<PermissionScope>) => scope.client && rangeText(scope.client)
  const isSame = (['room', 'user', 'group'] as const).every((key) => one[key] === given[key])
  return isSame && network(one) === network(given)
}

function auditable(permission: Permission) {
  const { by, expiresAt, client, room, user, group, despite } = permission
  return {
    ...{ host: hostLabel(permission), by, client: client && rangeText(client), room, user, group, despite },
    until: isoTime(expiresAt),
  }
}

function hostLabel({ host, below }: Permission): string {
  return `${below ? '.' : ''}${host}`
}
