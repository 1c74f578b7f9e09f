// What temporary permissions open: everything that a rule stops, but for locked rules, and for rules with a switch that is on,
// unless the permission names that switch.
import { type AddressRange, isInRange } from '../../network/address-range.ts'
import { isLocked, matchRule, type Policy, type Rule } from './policy.ts'
import { isInRoom } from './room.ts'
import type { Subject } from './subject.ts'

/** Whom a permission is for: all that is named must match. Undefined members name nothing. */
export interface PermissionScope {
  readonly client: AddressRange | undefined
  /** Of the policy; one that it no longer has matches nobody. */
  readonly room: string | undefined
  /** As `parseUser` returns it. */
  readonly user: string | undefined
  /** Of the policy; one that it no longer has matches nobody. */
  readonly group: string | undefined
}

export interface ScopedPermission extends PermissionScope {
  /** The switch whose rules it opens, too. */
  readonly despite: string | undefined
}

interface Opening<Permission> {
  /** What opens the request; undefined where nothing does. */
  readonly permission: Permission | undefined
  /** The rule that no permission opens which applies; undefined where none applies. */
  readonly barrier: Rule | undefined
}

/** @param permissions for the request's host */
export function findOpening<Permission extends ScopedPermission>(
  policy: Pick<Policy, 'rules' | 'groups' | 'rooms'>,
  subject: Subject,
  permissions: readonly Permission[],
): Opening<Permission> {
  const applying = permissions.filter((one) => scopeMismatches(one, subject, policy).length === 0)
  let [permission] = applying
  if (permission === undefined) return { permission, barrier: undefined }
  for (const rule of policy.rules) {
    const isOpened = rule.action !== 'allow' && rule.switch === undefined && !isLocked(rule)
    const reason = isOpened ? undefined : matchRule(rule, subject)
    if (reason === undefined) continue
    if (rule.action === 'allow') {
      // Of an ambiguous path it is not certain that this rule allows it: a later one may stop it.
      if (reason === 'ambiguous') continue
      break
    }
    permission = isLocked(rule) ? undefined : applying.find(({ despite }) => despite === rule.switch)
    if (permission === undefined) return { permission, barrier: rule }
  }
  return { permission, barrier: undefined }
}

/** What of the scope does not match, in words; empty where the permission applies. */
export function scopeMismatches(
  { client, room, user, group }: PermissionScope,
  { address, request }: Subject,
  { groups, rooms }: Pick<Policy, 'groups' | 'rooms'>,
): readonly string[] {
  const { user: sent } = request
  const isInside = rooms.some((one) => one.name === room && isInRoom(one, address))
  const isMember = sent !== undefined && groups.some(({ name, users }) => name === group && users.has(sent))
  const named = sent === undefined ? 'the proxy names no user' : `the user is "${sent}"`
  return [
    ...(client === undefined || isInRange(client, address)
      ? []
      : [`client: ${request.client.address} is not in ${client.text}`]),
    ...(room === undefined || isInside ? [] : [`room: ${request.client.address} is not in "${room}"`]),
    ...(user === undefined || user === sent ? [] : [`user: ${named}, not "${user}"`]),
    ...(group === undefined || isMember ? [] : [`group: ${named}, not in "${group}"`]),
  ]
}
