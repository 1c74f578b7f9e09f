// What opens a request, against a second implementation that goes by the words of the docs: the portal's names; locked rules;
// permissions, but for what a rule with a switch that is on stops; rules. A failure prints the seed that repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEngine } from '../../../src/engine/engine.ts'
import type { Policy } from '../../../src/engine/policy/policy.ts'
import { parseUser } from '../../../src/engine/request/user.ts'
import { createPermissionMemory, type Permission } from '../../../src/engine/state/permissions.ts'
import type { EngineState } from '../../../src/engine/state/state.ts'
import { parseAddressRange } from '../../../src/network/address-range.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { obviousUser } from '../request/obvious-user.ts'
import { requestFor } from '../request-for.ts'
import { configure, policy as policyText } from '../running-engine.ts'
import { newKeys } from '../state/fixture.ts'
import {
  contains,
  equalOrBelow,
  type ObviousPolicy,
  type ObviousRequest,
  type ObviousRule,
  obviousRule,
  plainHost,
} from './obvious-policy.ts'
import {
  client,
  FILES,
  GROUPS,
  LISTS,
  ON,
  ROOMS,
  range,
  request,
  rules,
  STRIP,
  SWITCHES,
  toToml,
} from './random-policy.ts'

interface ObviousPermission {
  readonly host: string
  readonly below: boolean
  readonly client: string | undefined
  readonly room: string | undefined
  readonly user: string | undefined
  readonly group: string | undefined
  readonly despite: string | undefined
}

const NAMES = Object.keys(ON)
const maybe = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one })
/** Switches by the rule's number. */
const switches = fc.array(fc.constantFrom(undefined, undefined, ...NAMES), { minLength: 4, maxLength: 4 })
const permission: fc.Arbitrary<ObviousPermission> = fc.record({
  host: fc.constantFrom('a.example', 'b.example', 'example', 'test', 'portal.example', '192.0.2.7'),
  below: fc.boolean(),
  client: maybe(fc.oneof(range, client)),
  room: maybe(fc.constantFrom(...Object.keys(ROOMS), 'removed')),
  user: maybe(fc.constantFrom('anna', 'ben', 'nobody', 'mr. smith')),
  group: maybe(fc.constantFrom('students', 'staff', 'removed')),
  despite: fc.constantFrom(undefined, ...NAMES),
})
/** Half of the rules are about every host, so that most requests meet several. */
const someWide = fc
  .tuple(rules, fc.array(fc.constantFrom(undefined, '*', '*', '*/shorts'), { minLength: 4, maxLength: 4 }))
  .map(([all, wide]) => all.map((rule, index) => (wide[index] === undefined ? rule : widened(rule, wide[index]))))

function widened({ name, action, locked, except }: ObviousRule, pattern: string): ObviousRule {
  return { name, action, match: [pattern], ...(locked && { locked }), ...(except && { except }) }
}

/** For a host of one of the permissions, or one below it. */
const asked = fc.record({
  request,
  host: fc.nat(),
  label: fc.constantFrom('', '', 'www.'),
  path: fc.constantFrom('', '/shorts', '/a/../shorts'),
})

/** `'refuse'` for an ambiguous path that decides. */
function obviousVerdict(policy: ObviousPolicy, permissions: readonly ObviousPermission[], one: ObviousRequest): string {
  const host = plainHost(new URL(one.url).hostname)
  const matches = (rule: ObviousRule) => obviousRule({ ...policy, rules: [rule] }, one)
  const verdictOf = (name: string | undefined) =>
    name === 'ambiguous' ? 'refuse' : (policy.rules.find((rule) => rule.name === name)?.action ?? 'allow')
  if (host === 'portal.example') return 'allow'
  const locked = obviousRule({ ...policy, rules: lockedOf(policy.rules) }, one)
  if (locked !== undefined) return verdictOf(locked)
  const user = one.user === undefined ? undefined : asUser(one.user)
  const membersOf = (name: string): readonly string[] => (Object.hasOwn(GROUPS, name) ? GROUPS[name as never] : [])
  const applying = permissions.filter(
    (given) =>
      (host === given.host || (given.below && equalOrBelow(host, given.host))) &&
      (given.client === undefined || contains(given.client, one.client)) &&
      (given.room === undefined || (policy.rooms[given.room] ?? []).some((range) => contains(range, one.client))) &&
      (given.user === undefined || (user !== undefined && asUser(given.user) === user)) &&
      (given.group === undefined || (user !== undefined && membersOf(given.group).map(asUser).includes(user))),
  )
  const decidedByRules = verdictOf(obviousRule(policy, one))
  if (applying.length === 0) return decidedByRules
  const despite = applying.map((given) => given.despite)
  const firstAllow = policy.rules.findIndex((rule) => rule.action === 'allow' && matches(rule) === rule.name)
  const before = firstAllow === -1 ? policy.rules : policy.rules.slice(0, firstAllow)
  const isClosed = before.some(
    (rule) =>
      rule.action !== 'allow' &&
      rule.switch !== undefined &&
      !despite.includes(rule.switch) &&
      matches(rule) !== undefined,
  )
  return isClosed ? decidedByRules : 'allow'
}

const known = new Map<string, string | undefined>()

/** `obviousUser` is slow, and these names are few. */
function asUser(name: string): string | undefined {
  if (!known.has(name)) known.set(name, obviousUser(name, STRIP))
  return known.get(name)
}

function lockedOf(rules: readonly ObviousRule[]): readonly ObviousRule[] {
  return rules.filter((rule) => rule.locked)
}

function toPermission(given: ObviousPermission, id: number): Permission {
  const range = given.client === undefined ? undefined : parseAddressRange(given.client)
  const user = given.user === undefined ? undefined : parseUser(given.user, [])
  return { ...given, user, client: range, id: String(id), by: 'x', createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER }
}

test('locked rules, permissions with their scope, switches and rules decide as the obvious implementation does', async (t) => {
  const keys = await newKeys(t)
  const memory = createPermissionMemory(() => 0)
  const state = {
    permissionsFor: memory.find,
    switches: SWITCHES,
    hasSession: () => false,
    findSession: async () => false,
    rememberUrl() {},
  } as unknown as EngineState
  const counts = { opened: 0, closed: 0, locked: 0 }
  let current: Policy | undefined
  let now = 0
  const policies = {
    get current() {
      return current ?? assert.fail()
    },
  }
  const stopped = { add() {} }
  const { portal } = configure(policyText(''))
  const engine = createEngine({ portal, policies, state, keys, stopped, clock: () => now })
  await fc.assert(
    fc.asyncProperty(
      someWide,
      switches,
      fc.array(permission, { minLength: 1, maxLength: 6 }),
      fc.array(asked, { minLength: 15, maxLength: 25 }),
      async (all, names, given, requests) => {
        const switched = all.map(({ switch: _, ...rule }, index): ObviousRule => {
          return { ...rule, ...(names[index] !== undefined && { switch: names[index] }) }
        })
        const obvious = { rules: switched, lists: LISTS, groups: GROUPS, rooms: ROOMS, on: ON, strip: STRIP }
        const { policy } = configure(toToml(switched), FILES, LISTS)
        current = policy
        memory.replace(given.map(toPermission))
        for (const { request, host, label, path } of requests) {
          const name = given[host % given.length]?.host ?? ''
          const url = `https://${name.startsWith('1') ? '' : label}${name}${path}`
          const one = { ...request, url }
          now = one.at
          const user = one.user === undefined ? undefined : parseUser(one.user, policy.affixes)
          const { verdict } = await engine.decide(requestFor(url, user, one.client))
          const expected = obviousVerdict(obvious, given, one)
          if (obviousVerdict({ ...obvious, rules: lockedOf(switched) }, [], one) !== 'allow') counts.locked++
          else if (memory.find(new URL(url).hostname).length > 0) {
            if (expected !== 'allow') counts.closed++
            else if (obviousVerdict(obvious, [], one) !== 'allow') counts.opened++
          }
          assert.equal(verdict, expected, `${JSON.stringify({ one, switched, given }, null, 1)}`)
        }
      },
    ),
    { ...propertyRuns(250), endOnFailure: true },
  )
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 5, `${what}: only ${JSON.stringify(counts)}`)
})
