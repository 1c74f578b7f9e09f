// Rules by lists whose files are not in force, against a twin that writes down what each use of such a list means.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ListFallback } from '../../../src/engine/policy/lists/domain-list.ts'
import { NO_ENTRIES } from '../../../src/engine/policy/lists/list-table.ts'
import { findRule, type Policy } from '../../../src/engine/policy/policy.ts'
import { parseUser } from '../../../src/engine/request/user.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { subjectFor } from '../request-for.ts'
import { configure } from '../running-engine.ts'
import { tableOf } from './entries-of.ts'
import { type ObviousPolicy, type ObviousRequest, type ObviousRule, obviousRule } from './obvious-policy.ts'
import { FILES, GROUPS, LISTS, ROOMS, request, rules, STRIP, toToml } from './random-policy.ts'

type Kind = ListFallback['kind'] | 'file'

/** What another file had. */
const OTHER = ['b.example', '.example.test']

const kind = fc.constantFrom<Kind>('file', 'kept', 'other', 'missing')

function obviousPolicy(all: readonly ObviousRule[], kinds: Readonly<Record<keyof typeof LISTS, Kind>>): ObviousPolicy {
  const lists: Record<string, readonly string[]> = {}
  for (const [name, names] of Object.entries(LISTS)) {
    const one = kinds[name as keyof typeof LISTS]
    const isOwn = one === 'file' || one === 'kept'
    lists[`stops ${name}`] = isOwn ? names : one === 'other' ? OTHER : []
    lists[`allows ${name}`] = isOwn ? names : []
  }
  const isUnknown = (name: string) => ['other', 'missing'].includes(kinds[name as keyof typeof LISTS])
  const uses = (use: string, names: readonly string[] | undefined) =>
    names && { lists: names.map((name) => `${use} ${name}`) }
  const rewritten = all
    .filter(({ action, except }) => !(action === 'allow' && except?.lists?.some(isUnknown)))
    .map((rule): ObviousRule => {
      const [named, excepted] = rule.action === 'allow' ? ['allows', 'stops'] : ['stops', 'allows']
      const except = rule.except && { ...rule.except, ...uses(excepted, rule.except.lists) }
      return { ...rule, ...uses(named, rule.lists), ...(except && { except }) }
    })
  return { rules: rewritten, lists, groups: GROUPS, rooms: ROOMS, on: {}, strip: STRIP }
}

function withKinds(toml: string, kinds: Readonly<Record<string, Kind>>): Policy {
  const { policy, buildPolicy } = configure(toml, FILES, LISTS)
  return buildPolicy(
    policy.lists.map((list) => {
      const one = kinds[list.name] ?? 'file'
      if (one === 'file') return list
      const table = { kept: list.table, other: tableOf(OTHER), missing: NO_ENTRIES }[one]
      return { ...list, table, fallback: { kind: one, since: 0 } }
    }),
  )
}

function decide(policy: Policy, { url, client: address, at, ...rest }: ObviousRequest) {
  const user = rest.user === undefined ? undefined : parseUser(rest.user, policy.affixes)
  const match = findRule(policy, subjectFor(url, { user, address, at }))
  const isOpen = match?.reason !== 'ambiguous' && (match?.rule.action ?? policy.default) === 'allow'
  return { name: match?.reason === 'ambiguous' ? match.reason : match?.rule.name, isOpen }
}

test('each use of a list matches what is in force for it, and none allows more than the list would', () => {
  let differing = 0
  let compared = 0
  fc.assert(
    fc.property(
      rules,
      fc.record({ ads: kind, games: kind }),
      fc.array(request, { minLength: 25, maxLength: 40 }),
      (all, kinds, requests) => {
        const toml = toToml(all)
        const [policy, whole] = [withKinds(toml, kinds), withKinds(toml, {})]
        const obvious = obviousPolicy(all, kinds)
        const stops = all.some((rule) => rule.action !== 'allow' && rule.lists !== undefined)
        for (const one of requests) {
          const [here, there] = [decide(policy, one), decide(whole, one)]
          assert.equal(here.name, obviousRule(obvious, one), JSON.stringify([one, kinds]))
          if (here.name !== there.name) differing++
          // An "allow" rule refuses a path that it cannot compare; one that does not count leaves it to the rules that follow.
          if (stops || there.name === 'ambiguous') continue
          compared++
          assert.ok(!here.isOpen || there.isOpen, `${JSON.stringify([one, kinds])} is open`)
        }
      },
    ),
    propertyRuns(250),
  )
  assert.ok(differing > 10 && compared > 100, `${differing} differed, ${compared} were compared`)
})
