// Rule matching against a second implementation (obvious-policy.ts). A failure prints the seed that repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { parseUser } from '../../../src/engine/request/user.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { subjectFor } from '../request-for.ts'
import { configure } from '../running-engine.ts'
import { type ObviousPolicy, obviousRule } from './obvious-policy.ts'
import { FILES, GROUPS, LISTS, ON, ROOMS, request, rules, STRIP, SWITCHES, toToml } from './random-policy.ts'

test('finds the rule that the obvious implementation finds', () => {
  let matched = 0
  let ambiguous = 0
  let runs = 0
  fc.assert(
    fc.property(rules, fc.array(request, { minLength: 10, maxLength: 20 }), (all, requests) => {
      const obvious: ObviousPolicy = { rules: all, lists: LISTS, groups: GROUPS, rooms: ROOMS, on: ON, strip: STRIP }
      const { policy } = configure(toToml(all), FILES, LISTS)
      for (const one of requests) {
        const user = one.user === undefined ? undefined : parseUser(one.user, policy.affixes)
        const match = findRule(
          policy,
          subjectFor(one.url, { user, address: one.client, at: one.at, switches: SWITCHES }),
        )
        const found = match?.reason === 'ambiguous' ? match.reason : match?.rule.name
        runs++
        if (found !== undefined) matched++
        if (found === 'ambiguous') ambiguous++
        assert.equal(found, obviousRule(obvious, one), `${JSON.stringify(one)} ${new Date(one.at).toISOString()}`)
      }
    }),
    propertyRuns(500),
  )
  assert.ok(matched > runs / 10, `only ${matched} of ${runs} requests matched a rule`)
  assert.ok(ambiguous > runs / 200, `only ${ambiguous} of ${runs} requests were ambiguous`)
})
