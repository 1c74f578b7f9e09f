// Rule matching against a second implementation (obvious-policy.ts). A failure prints the seed that repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findRule } from '../../../src/engine/policy/policy.ts'
import { Subject } from '../../../src/engine/policy/subject.ts'
import { parseClient } from '../../../src/engine/request/client.ts'
import { parseRequestedUrl } from '../../../src/engine/request/decision-request.ts'
import { parseUser } from '../../../src/engine/request/user.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { configure } from '../running-engine.ts'
import { type ObviousPolicy, obviousRule } from './obvious-policy.ts'
import { FILES, GROUPS, LISTS, request, rules, STRIP, toToml } from './random-policy.ts'

test('finds the rule that the obvious implementation finds', () => {
  let matched = 0
  let ambiguous = 0
  let runs = 0
  fc.assert(
    fc.property(rules, fc.array(request, { minLength: 10, maxLength: 20 }), (all, requests) => {
      const obvious: ObviousPolicy = { rules: all, lists: LISTS, groups: GROUPS, strip: STRIP }
      const { policy } = configure(toToml(all), FILES, LISTS)
      for (const one of requests) {
        const requested = parseRequestedUrl(one.url)
        const from = parseClient(one.client)
        assert.ok(requested && from, one.url)
        const name = one.user === undefined ? undefined : parseUser(one.user, policy.affixes)
        const asked = { ...requested, method: 'GET', client: from, user: name }
        const match = findRule(policy, new Subject(asked, one.at))
        const found = match?.reason === 'ambiguous' ? match.reason : match?.rule.name
        runs++
        if (found !== undefined) matched++
        if (found === 'ambiguous') ambiguous++
        assert.equal(found, obviousRule(obvious, one), `${JSON.stringify(one)} ${new Date(one.at).toISOString()}`)
      }
    }),
    propertyRuns(500),
  )
  assert.ok(matched > runs / 6, `only ${matched} of ${runs} requests matched a rule`)
  assert.ok(ambiguous > runs / 200, `only ${ambiguous} of ${runs} requests were ambiguous`)
})
