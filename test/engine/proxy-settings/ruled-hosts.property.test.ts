// The safety of what the proxy does not ask about: of a host that is not ruled, every decision is "allow", by the second
// implementation of the rules (obvious-policy.ts). A failure prints the seed that repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseAskedHost } from '../../../src/engine/icap/asked-host.ts'
import { createRuledHosts } from '../../../src/engine/proxy-settings/ruled-hosts.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { type ObviousConditions, type ObviousPolicy, type ObviousRule, obviousRule } from '../policy/obvious-policy.ts'
import { FILES, GROUPS, LISTS, ON, ROOMS, request, rules, STRIP, toToml } from '../policy/random-policy.ts'
import { configure } from '../running-engine.ts'

/** Of most policies no rule is about every host, and no path about a whole top-level domain: otherwise all hosts are ruled. */
const policies = fc.oneof(
  { weight: 1, arbitrary: rules },
  { weight: 5, arbitrary: rules.map((all) => all.map(narrow)) },
)

function narrow(rule: ObviousRule): ObviousRule {
  const isNamed = rule.match !== undefined || rule.lists !== undefined || rule.action === 'allow'
  const named = narrowNames(isNamed ? rule : { ...rule, match: ['*.b.example'] })
  return { ...rule, ...named, ...(rule.except && { except: narrowNames(rule.except) }) }
}

function narrowNames<Named extends ObviousConditions>(conditions: Named): Named {
  const { match } = conditions
  if (match === undefined) return conditions
  return { ...conditions, match: match.map((text) => text.replace(/^(?:\*|\.example|\.test)(?=\/|$)/, '.b.example')) }
}

/** As the proxy may spell it: that of its URL parser, and what the client sent. */
function spellings(url: string): readonly string[] {
  const [, sent = ''] = /^[^:]+:\/\/([^/?#]*?)(?::[0-9]+)?(?:[/?#]|$)/.exec(url) ?? []
  return [sent, new URL(url).hostname, sent.replace(/^\[|\]$/g, '').toUpperCase()]
}

test('of a host that is not ruled, every decision is "allow"', () => {
  let asked = 0
  let unruled = 0
  let every = 0
  fc.assert(
    fc.property(policies, fc.array(request, { minLength: 8, maxLength: 12 }), (all, requests) => {
      const obvious: ObviousPolicy = { rules: all, lists: LISTS, groups: GROUPS, rooms: ROOMS, on: ON, strip: STRIP }
      const { policy } = configure(toToml(all), FILES, LISTS)
      const ruledHosts = createRuledHosts({ current: policy }, { allowed: false })
      if (ruledHosts.every !== undefined) every++
      const actions = new Map(all.map(({ name, action }) => [name, action]))
      for (const one of requests) {
        const isUnruled = (text: string) => {
          const host = parseAskedHost(text)
          return host !== undefined && ruledHosts.find(host) === undefined
        }
        asked++
        if (!spellings(one.url).some(isUnruled)) continue
        unruled++
        assert.equal(ruledHosts.every, undefined)
        const decisive = obviousRule(obvious, one)
        const decided = decisive === undefined ? 'allow' : (actions.get(decisive) ?? decisive)
        assert.equal(decided, 'allow', `${JSON.stringify(one)} ${new Date(one.at).toISOString()}`)
      }
    }),
    propertyRuns(400),
  )
  assert.ok(unruled > asked / 10, `only ${unruled} of ${asked} hosts were not ruled`)
  assert.ok(every > 1, `every host was ruled by only ${every} policies`)
})
