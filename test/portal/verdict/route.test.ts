// The verdict pages' checks, in order, each with its response (protocol v1, section 1).
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { VERDICT_PATH, type VerdictClaims, type VerdictKind } from '../../../src/contract/verdict.ts'
import type { OutcomeName } from '../../../src/portal/outcome/outcomes.ts'
import { en } from '../../../src/portal/page/i18n/en.ts'
import { claims, payloadOf, verdictQuery, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { type Exchanged, exchange } from '../exchange.ts'
import { elements, parsePage, textOf } from '../markup.ts'

const portal = await startPortal({ after })

const KINDS = Object.keys(VERDICT_PATH) as VerdictKind[]

function assertOutcome({ status, body }: Exchanged, expected: number, outcome: OutcomeName): void {
  const [title] = elements(parsePage(body), 'title').map(textOf)
  assert.deepEqual([status, title], [expected, `${en.outcome[outcome].title} – Gateway Captive Portal`])
}

describe('each fault has its response, and of two the earlier check decides', () => {
  interface Attempt {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly claims: VerdictClaims
    readonly p: (sealed: string) => string
    readonly v: string
    readonly more: string
  }
  interface Fault {
    readonly name: string
    readonly into: (attempt: Attempt) => Attempt
    readonly check: (response: Exchanged) => void
  }
  // In the order of the checks.
  const faults: readonly Fault[] = [
    {
      name: 'a method that changes things',
      into: (attempt) => ({ ...attempt, method: 'POST' }),
      check: (response) => assertOutcome(response, 405, 'methodNotAllowed'),
    },
    {
      name: 'the wrong kind of request',
      into: (attempt) => ({ ...attempt, headers: { 'Sec-Fetch-Dest': 'image' } }),
      check: ({ status, body }) => assert.deepEqual({ status, body }, { status: 403, body: '' }),
    },
    {
      name: 'too long a target',
      into: (attempt) => ({ ...attempt, p: (sealed) => sealed + 'A'.repeat(7500) }),
      check: (response) => assertOutcome(response, 414, 'tooLong'),
    },
    {
      name: 'a fourth parameter',
      into: (attempt) => ({ ...attempt, more: '&x=1' }),
      check: (response) => assertOutcome(response, 400, 'malformed'),
    },
    {
      name: 'another version',
      into: (attempt) => ({ ...attempt, v: '2' }),
      check: (response) => assertOutcome(response, 400, 'wrongVersion'),
    },
    {
      name: 'a payload that does not open',
      into: (attempt) => ({ ...attempt, p: (sealed) => `${attempt.p(sealed)}x` }),
      check: (response) => assertOutcome(response, 403, 'invalid'),
    },
    {
      name: 'an old link',
      into: (attempt) => ({ ...attempt, claims: { ...attempt.claims, ts: NOW - 301 } }),
      check: (response) => assertOutcome(response, 403, 'expired'),
    },
  ]

  const attemptOf = (kind: VerdictKind): Attempt => {
    return { method: 'GET', headers: {}, claims: claims(NOW, { kind }), p: (sealed) => sealed, v: '1', more: '' }
  }
  const send = ({ method, headers, claims, p, v, more }: Attempt) => {
    const sealed = p(payloadOf(claims))
    return exchange(portal, `${VERDICT_PATH[claims.kind]}?p=${sealed}&v=${v}&ts=${claims.ts}${more}`, headers, method)
  }

  for (const kind of KINDS) {
    test(`${kind}: without a fault, the page`, async () => assert.equal((await send(attemptOf(kind))).status, 200))
    for (const [index, first] of faults.entries()) {
      test(`${kind}: ${first.name}`, async () => {
        first.check(await send(first.into(attemptOf(kind))))
        for (const later of faults.slice(index + 1)) {
          // In this order, because the later fault keeps the earlier one's change of `p`.
          first.check(await send(later.into(first.into(attemptOf(kind)))))
        }
      })
    }
    for (const other of KINDS.filter((one) => one !== kind)) {
      test(`${kind} on the path of ${other} is not valid, even when it is old`, async () => {
        for (const ts of [NOW, NOW - 1000]) {
          const target = `${VERDICT_PATH[other]}?${verdictQuery(claims(ts, { kind }))}`
          assertOutcome(await exchange(portal, target), 403, 'invalid')
        }
      })
    }
  }
})

test('a target of 7,500 bytes is accepted, one of 7,501 is too long', async () => {
  const behind = `&v=1&ts=${NOW}`
  const filled = (length: number) => '/warned?p='.padEnd(length - behind.length, 'A') + behind
  assertOutcome(await exchange(portal, filled(7500)), 403, 'invalid')
  assertOutcome(await exchange(portal, filled(7501)), 414, 'tooLong')
})

describe('the replay window', () => {
  // In a browser that was shown the policy: visitor/session.test.ts.
  const at = async (seconds: number, target: string, from = portal) => {
    from.setTime(seconds)
    const response = await exchange(from, target)
    from.setTime(NOW)
    return response
  }

  for (const kind of KINDS) {
    const target = verdictTarget(claims(NOW, { kind }))
    test(`${kind}: up to 300 s old and 60 s ahead`, async () => {
      for (const seconds of [NOW + 300, NOW + 300.999, NOW, NOW - 60]) {
        assert.equal((await at(seconds, target)).status, 200, `clock ${seconds - NOW} s after the verdict`)
      }
      for (const seconds of [NOW + 301, NOW + 100_000, NOW - 60.001, NOW - 61, NOW - 100_000]) {
        assertOutcome(await at(seconds, target), 403, 'expired')
      }
    })
  }

  test('a shorter maximum age shortens both sides', async (t) => {
    const strict = await startPortal(t, { env: { ENGINE_SIGNATURE_MAX_AGE_SECONDS: '30' } })
    const target = verdictTarget(claims(NOW))
    for (const seconds of [NOW + 30, NOW - 30]) assert.equal((await at(seconds, target, strict)).status, 200)
    for (const seconds of [NOW + 31, NOW - 31]) assertOutcome(await at(seconds, target, strict), 403, 'expired')
  })

  test('an expired page shows nothing from the payload', async () => {
    const sealed = claims(NOW - 301, {
      kind: 'warn',
      destination: 'https://zqhost.example/zqpath?zqquery',
      rule_name: 'zqrule',
      rule_description: 'zqdescription',
      category: 'zqcategory',
      ack_token: 'zqtoken-zqtoken-zqtoken',
      override: { type: 'passphrase', prompt: 'zqprompt' },
    })
    const { status, body, headers } = await exchange(portal, verdictTarget(sealed))
    assert.equal(status, 403)
    assert.doesNotMatch(body, /zq/)
    assert.ok(!body.includes(sealed.jti) && !body.includes(verdictQuery(sealed)))
    assert.equal(headers.get('set-cookie'), undefined)
    assert.deepEqual(
      elements(parsePage(body), 'a').map(({ attributes }) => attributes.href),
      ['#main', ...['fr', 'de', 'it'].map((locale) => `/locale?set=${locale}&page=expired`), '/privacy?lang=en'],
    )
  })
})

test('HEAD has the status and the headers of GET, and no body', async () => {
  for (const target of [
    ...KINDS.map((kind) => verdictTarget(claims(NOW, { kind }))),
    verdictTarget(claims(NOW - 301)),
    '/blocked',
    `/blocked?p=${'A'.repeat(8000)}`,
    '/privacy',
    '/healthz',
    '/nowhere',
  ]) {
    const [got, head] = await Promise.all([exchange(portal, target), exchange(portal, target, {}, 'HEAD')])
    const comparable = ({ status, headers }: Exchanged) => ({ status, headers: new Map(headers).set('date', '') })
    assert.deepEqual(comparable(head), comparable(got))
    assert.equal(head.body, '')
    assert.equal(got.headers.get('content-length'), String(Buffer.byteLength(got.body)))
  }
})

test('the time is in the operator’s zone, and for machines in UTC', async (t) => {
  const local = await startPortal(t, { env: { GATEWAY_TIMEZONE: 'Europe/Zurich' } })
  const times = async (locale: string) => {
    const { body } = await exchange(local, verdictTarget(claims(NOW)), { 'accept-language': locale })
    return elements(parsePage(body), 'time').map((time) => [time.attributes.datetime, textOf(time)])
  }
  assert.deepEqual(await times('en'), [['2027-01-15T08:00:00Z', '15 January 2027 at 09:00 CET']])
  assert.deepEqual(await times('de'), [['2027-01-15T08:00:00Z', '15. Januar 2027 um 09:00 MEZ']])
})
