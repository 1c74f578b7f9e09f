// A verdict route's response by the purpose of the request, which is checked before decryption.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { VERDICT_PATH, type VerdictKind } from '../../../src/contract/verdict.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange } from '../exchange.ts'
import { elements, parsePage, textOf } from '../markup.ts'

const portal = await startPortal({ after }, { env: { GATEWAY_ORG_NAME: 'Schule Musterhausen' } })

const KINDS = Object.keys(VERDICT_PATH) as VerdictKind[]

const valid = (kind: VerdictKind) =>
  verdictTarget(claims(NOW, { kind, ...(kind !== 'block' && { ack_token: ACK_TOKEN }) }))
/** A valid target, and one for every later check that would refuse it. */
const targets = (kind: VerdictKind) => [
  valid(kind),
  verdictTarget(claims(NOW - 1000, { kind })),
  VERDICT_PATH[kind],
  `${VERDICT_PATH[kind]}?p=A&v=2&ts=${NOW}`,
  `${VERDICT_PATH[kind]}?p=${'A'.repeat(8000)}`,
]

/** The responses to all these targets, which must be identical. */
async function oneAnswer(destination: string, headers: Record<string, string> = {}) {
  const all = KINDS.flatMap(targets)
  const responses = []
  for (const target of all) {
    responses.push(await exchange(portal, target, { 'Sec-Fetch-Dest': destination, ...headers }))
  }
  const [first, ...others] = responses.map((response) => ({
    ...response,
    headers: new Map(response.headers).set('date', ''),
  }))
  assert.ok(first)
  for (const other of others) assert.deepEqual(other, first)
  return first
}

test('a document, or no Sec-Fetch-Dest: the page', async () => {
  for (const kind of KINDS) {
    assert.equal((await exchange(portal, valid(kind))).status, 200)
    assert.equal((await exchange(portal, valid(kind), { 'Sec-Fetch-Dest': 'document' })).status, 200)
  }
  const { status, body } = await exchange(portal, valid('block'), { 'Sec-Fetch-Dest': ['document', 'image'] })
  assert.deepEqual([status, body], [403, ''], 'a second header is not ignored')
})

describe('a frame: the compact notice', () => {
  for (const destination of ['iframe', 'frame', 'embed', 'object']) {
    test(destination, async () => {
      const { status, headers, body } = await oneAnswer(destination)
      assert.equal(status, 403)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(headers.get('content-security-policy') ?? '', /; frame-ancestors \*$/)
      assert.equal(headers.get('x-frame-options'), undefined)
      const page = parsePage(body)
      for (const name of ['a', 'script', 'link', 'img', 'form', 'button']) {
        assert.deepEqual(elements(page, name), [], name)
      }
      const [sentence, ...more] = elements(page, 'h1')
      assert.ok(sentence && more.length === 0)
      assert.equal(textOf(sentence), 'This content is blocked on this network. Questions? Contact Schule Musterhausen.')
    })
  }

  test("in the visitor's language", async () => {
    const { headers, body } = await oneAnswer('iframe', { 'Accept-Language': 'de' })
    assert.deepEqual([headers.get('content-language'), parsePage(body).attributes.lang], ['de', 'de'])
  })

  test('with no link, even if the operator has a URL', async (t) => {
    const env = { GATEWAY_CAPTIVE_BRAND_COMPANY: 'Muster AG', BRAND_COMPANY_URL: 'https://muster.example/' }
    const branded = await startPortal(t, { env })
    const { body } = await exchange(branded, valid('block'), { 'Sec-Fetch-Dest': 'iframe' })
    assert.match(body, /Muster AG/)
    assert.doesNotMatch(body, /<a|muster\.example/)
  })
})

test('a fetch: a short problem', async () => {
  const { status, headers, body } = await oneAnswer('empty')
  assert.equal(status, 403)
  assert.equal(headers.get('content-type'), 'application/problem+json')
  assert.deepEqual(JSON.parse(body), { type: 'about:blank', title: 'Content blocked', status: 403 })
})

test('anything else: nothing', async () => {
  const others = ['image', 'script', 'style', 'serviceworker', 'fencedframe', 'Document', 'document, document']
  for (const destination of [...others, 'x'.repeat(500)]) {
    const { status, body, headers } = await oneAnswer(destination)
    assert.deepEqual({ status, body }, { status: 403, body: '' }, destination)
    assert.equal(headers.get('set-cookie'), undefined)
  }
})

test('nothing was decrypted for any of them', async () => {
  const before = portal.logged().length
  for (const destination of ['iframe', 'empty', 'image']) await oneAnswer(destination)
  const lines = portal.logged().slice(before)
  assert.ok(lines.length > 0)
  for (const line of lines) assert.ok(!('reference' in line) && !('refusal' in line), JSON.stringify(line))
})
