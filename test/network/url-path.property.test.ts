// Against servers that read a path in their own way (origin-servers.ts), with requests in bytes: what a visitor can reach
// behind an allowed request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseHttpHead } from '../../src/engine/icap/http-head.ts'
import { findRule, type Policy } from '../../src/engine/policy/policy.ts'
import { Subject } from '../../src/engine/policy/subject.ts'
import { parseClient } from '../../src/engine/request/client.ts'
import { SERVERS } from '../engine/policy/origin-servers.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { propertyRuns } from '../support/property-runs.ts'

/** The prefix in every spelling that a page of it may have. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  '/shorts': ['/shorts'],
  '/a/b': ['/a/b'],
  '/über': ['/%C3%BCber', '/%c3%bcber', '/\xc3\xbcber'],
}
const part = fc.constantFrom(
  ...['/', '/', '/', 'shorts', 'a', 'b', 'x', 'SHORTS', 'Shorts', 'A', '%73horts', 'short%73', '%2561', '%53HORTS'],
  ...['%C3%BCber', '\xc3\xbcber', '%C3%9Cber', '\xc3\x9cBER'],
  ...['.', '..', '..', '%2e', '%2E%2e', '.%2e', '%252e', '..;', '%2e%2e;', '..;x', '..%3b', '%00', '%2500', '\\'],
  ...['%2f', '%2F', '%5c', '%252f', '%25%32%66', '%255C', ';', ';v=1', '%3B', '%253b', '%', '%2', '%zz', '?', '\xff'],
)
const target = fc.oneof(
  fc.array(part, { maxLength: 10 }).map((parts) => `/${parts.join('')}`),
  // Below a prefix, and perhaps out of it again.
  fc
    .tuple(fc.constantFrom('/shorts/', '/a/b/', '/%C3%BCber/', '/x/'), fc.array(part, { maxLength: 8 }))
    .map(([start, parts]) => start + parts.join('')),
)
const chain = fc.array(fc.constantFrom(...Object.keys(SERVERS)), { minLength: 1, maxLength: 3 })

function policyOf(action: string, prefix: string): Policy {
  const rules = `[[rules]]\nname = "prefix"\nmatch = ["video.example${prefix}"]\naction = "${action}"`
  return configure(policy(rules, `default = "${action === 'block' ? 'allow' : 'block'}"`)).policy
}

/** Whether the proxy forwards these bytes. */
function isForwarded(rules: Policy, bytes: string, form: 'origin' | 'absolute'): boolean {
  const requestTarget = form === 'origin' ? bytes : `http://video.example${bytes}`
  const head = parseHttpHead(Buffer.from(`GET ${requestTarget} HTTP/1.1\r\nHost: video.example\r\n\r\n`, 'latin1'))
  const client = parseClient('198.51.100.7')
  if (head.reason !== undefined || client === undefined) return false
  const match = findRule(rules, new Subject({ ...head, client, user: undefined }, 0))
  return match?.reason !== 'ambiguous' && (match?.rule.action ?? rules.default) === 'allow'
}

function isBelow(served: string, prefix: string): boolean {
  return (PREFIXES[prefix] ?? []).some((one) => served === one || served.startsWith(`${one}/`))
}

for (const prefix of Object.keys(PREFIXES)) {
  for (const action of ['block', 'allow']) {
    const rules = policyOf(action, prefix)
    test(`${action} ${prefix}: no chain of servers serves otherwise`, () => {
      let forwarded = 0
      let decisive = 0
      const form = fc.constantFrom('origin', 'absolute')
      fc.assert(
        fc.property(target, form, fc.array(chain, { minLength: 5, maxLength: 5 }), (bytes, inForm, chains) => {
          const isAllowed = isForwarded(rules, bytes, inForm)
          if (isAllowed) forwarded++
          const [path = ''] = bytes.split('?', 1)
          for (const names of chains) {
            const served = names.reduce((read, name) => SERVERS[name]?.(read) ?? assert.fail(name), path)
            const isWrong = isBelow(served, prefix) === (action === 'block')
            if (isWrong) decisive++
            assert.ok(!(isAllowed && isWrong), `${names.join(', then ')}: ${JSON.stringify(served)}`)
          }
        }),
        propertyRuns(10_000),
      )
      assert.ok(forwarded > 20, `only ${forwarded} requests were forwarded`)
      assert.ok(decisive > 100, `only ${decisive} requests had to be stopped`)
    })
  }
}
