// The benchmark's requests, parsed as in the portal, and its lists, read as in the engine.
import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { listedName, writeList } from '../../bench/engine/list.ts'
import { forged, malformed, navigations } from '../../bench/requests.ts'
import { redeem } from '../../src/contract/verdict-url.ts'
import { createHashKey } from '../../src/engine/policy/lists/name-hash.ts'
import { readList } from '../../src/engine/policy/lists/read-list.ts'
import { ALL_OFF } from '../../src/engine/policy/switches.ts'
import { createIssuer } from '../../src/engine/verdict/issue.ts'
import { NO_LESSON_CODES } from '../../src/engine/verdict/lesson-code.ts'
import { openedClaims } from '../engine/opened-claims.ts'
import { requestFor } from '../engine/request-for.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { keyring } from '../support/payloads.ts'
import { rule } from '../support/rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NOW = 1_800_000_000
const KEYS = 'description = "a"\ndescriptions = { de = "b" }\ncategory = "c"\nmatch = ["a.example"]'
const pages = navigations('warn', NOW, keyring.sealing)

function open(target: string) {
  return redeem(target.slice(target.indexOf('?') + 1), keyring, { now: NOW * 1000, maxAgeSeconds: 300 })
}

test('there are 10,000 different verdicts of the minute before, which can be acknowledged', () => {
  assert.equal(new Set(pages.map(({ target }) => target)).size, 10_000)
  for (const { target, claims } of pages.slice(0, 200)) {
    const { verdict, refusal } = open(target)
    assert.ok(refusal === undefined)
    assert.equal(verdict.kind, 'warn')
    assert.equal(verdict.reference, claims.jti)
    assert.ok(verdict.issuedAt <= NOW && verdict.issuedAt > NOW - 60)
    assert.notEqual(verdict.ackToken, undefined)
  }
  assert.equal(new Set(pages.map(({ headers }) => headers['Accept-Language'])).size, 5)
})

/** NOW is 08:00 in UTC. */
const LESSON = rule(
  'lesson',
  'block',
  'match = ["lesson.example"]',
  'when = { from = "07:00", to = "09:00", timezone = "UTC" }',
)

test('together they have every claim that our engine sends', () => {
  const override = 'override = { type = "pin", code = "8036", prompt = "d" }'
  const engine = configure(policy(`${rule('block', 'block', KEYS)}${rule('warn', 'warn', KEYS, override)}${LESSON}`))
  const key = createSecretKey(Buffer.alloc(32))
  const issue = createIssuer(
    engine.portal,
    { rememberUrl() {}, switches: ALL_OFF, lessonCodes: NO_LESSON_CODES },
    key,
    () => NOW * 1000,
  )
  const sent = engine.policy.rules.flatMap((one) =>
    ['today', 'long'.repeat(1000)].map((path) => {
      const request = requestFor(`https://${one.name === 'lesson' ? 'lesson' : 'a'}.example/${path}`)
      return issue(engine.policy, one as Parameters<typeof issue>[1], request).redirect
    }),
  )
  const own = [...navigations('block', NOW, keyring.sealing), ...pages].map(({ target }) => target)
  assert.deepEqual(claimsOf(own), claimsOf(sent))
})

/** The names of the claims in these verdict URLs, and of the members of `override`. */
function claimsOf(urls: readonly string[]): string[] {
  const names = urls.flatMap((url) => {
    const claims = openedClaims(new URLSearchParams(url.slice(url.indexOf('?'))).get('p') ?? '')
    return [...Object.keys(claims), ...Object.keys(Object(claims.override)).map((name) => `override.${name}`)]
  })
  return [...new Set(names)].sort()
}

test('rejected payloads are rejected for the intended reason', () => {
  for (const { target } of malformed(pages.slice(0, 200))) assert.equal(open(target).refusal, 'form')
  for (const { target } of forged(pages.slice(0, 200))) assert.equal(open(target).refusal, 'tag')
})

test('a list is the same in every run, and the engine accepts each of its names', (t) => {
  const folder = temporaryFolder(t)
  writeList(join(folder, 'list.txt'), 25_000)
  const list = readList(join(folder, 'list.txt'), 'auto', createHashKey(), 25_000)
  assert.ok('table' in list)
  assert.equal(list.invalid, 0)
  assert.equal(list.table.hashes.byteLength / 8, 25_000)
  assert.equal(listedName(7), listedName(7))
})
