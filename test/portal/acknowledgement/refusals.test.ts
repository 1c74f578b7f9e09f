// What is refused before anything happens (protocol v1, section 2, step 2): no connection to the engine, no row.
import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import type { VerdictClaims } from '../../../src/contract/verdict.ts'
import { rawResponse, respondWith } from '../../support/hostile-engine.ts'
import { startPortal } from '../../support/portal.ts'
import { type Exchanged, exchange, exchangeBytes, type RequestHeaders } from '../exchange.ts'
import {
  acceptanceOf,
  acceptancesOf,
  acknowledgement,
  assertOwnResponse,
  getBytes,
  PASSPHRASE,
  requestLine,
  startRelay,
} from './relay.ts'

const REDIRECT = respondWith(rawResponse('302 Found', ['Location: https://news.example/']))
const { portal, engine } = await startRelay({ after }, REDIRECT)

let asked: ReturnType<typeof acknowledgement>[] = []
afterEach(async () => {
  assert.equal(engine.connections.length, 0)
  assert.equal(acceptancesOf(portal), 0)
  const text = portal.logText()
  for (const { p } of asked) assert.equal(text.includes(p), false)
  assert.doesNotMatch(text, /zq-code/)
  assert.equal(portal.logged().filter(({ msg }) => msg === 'request').length, requests)
  asked = []
})
let requests = 0

function send(
  changes: Partial<VerdictClaims>,
  headers: RequestHeaders = {},
  { method = 'GET', target = (good: string) => good } = {},
): Promise<Exchanged> {
  const one = acknowledgement(changes)
  asked.push(one)
  requests++
  return exchange(portal, target(one.target), headers, method)
}

test('methods but GET', async () => {
  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
    const answered = await send({}, { 'Sec-Purpose': 'prefetch' }, { method })
    assert.deepEqual([answered.status, answered.headers.get('allow')], [405, 'GET'], method)
    assertOwnResponse(answered, 'page')
  }
})

interface Refusal {
  readonly headers: RequestHeaders
  readonly status: number
  readonly page: RegExp
}

// Each also fails a later check, so that the order of the checks is tested, too.
const CODE_NOT_WANTED = { 'X-Override-Code': 'zq-code' }
const prefetched = (headers: RequestHeaders): Refusal => ({
  headers: { ...headers, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'image' },
  status: 503,
  page: /only works when you press the button/,
})
const fromElsewhere = (headers: RequestHeaders): Refusal => ({
  headers,
  status: 403,
  page: /Continue from the gateway’s page/,
})
const refusals: Readonly<Record<string, Refusal>> = {
  'Sec-Purpose: prefetch': prefetched({ 'Sec-Purpose': 'prefetch' }),
  'Sec-Purpose: prefetch;prerender': prefetched({ 'Sec-Purpose': 'prefetch;prerender' }),
  'Sec-Purpose: prerender': prefetched({ 'Sec-Purpose': 'prerender' }),
  'Purpose: prefetch': prefetched({ Purpose: 'prefetch' }),
  'Purpose: Prefetch, twice': prefetched({ Purpose: ['x', 'Prefetch'] }),
  'Sec-Fetch-Site: cross-site': fromElsewhere({ 'Sec-Fetch-Site': 'cross-site' }),
  'Sec-Fetch-Site: same-site': fromElsewhere({ 'Sec-Fetch-Site': 'same-site' }),
  'Sec-Fetch-Site: two values': fromElsewhere({ 'Sec-Fetch-Site': 'cross-site, same-origin' }),
  'Sec-Fetch-Site: an unknown value': fromElsewhere({ 'Sec-Fetch-Site': 'nowhere' }),
  'Sec-Fetch-Dest: image': fromElsewhere({ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' }),
  'Sec-Fetch-Dest: iframe': fromElsewhere({ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'iframe' }),
  'Sec-Fetch-Dest: two values': fromElsewhere({ 'Sec-Fetch-Dest': 'document, empty' }),
}

describe('Fetch Metadata', () => {
  const malformed = { target: (target: string) => `${target}&x=1` }
  for (const [name, { headers, status, page }] of Object.entries(refusals)) {
    test(`${name}, as a navigation`, async () => {
      const answered = await send({}, headers, malformed)
      assert.equal(answered.status, status)
      assert.equal(answered.headers.get('retry-after'), status === 503 ? '5' : undefined)
      assert.match(answered.body, page)
      assert.doesNotMatch(answered.body, /news\.example/)
      assertOwnResponse(answered, 'page')
    })
    test(`${name}, as a fetch`, async () => {
      const answered = await send({}, { ...headers, ...CODE_NOT_WANTED }, malformed)
      assert.equal(answered.status, status)
      assert.deepEqual(JSON.parse(answered.body).status, status)
      assertOwnResponse(answered, 'problem')
    })
  }
})

describe('without a code only a navigation acknowledges', () => {
  const fetches: Readonly<Record<string, RequestHeaders>> = {
    'fetch(link.href) by an extension': { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' },
    'the same in a page of its own': { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'cors' },
    'a download': { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' },
    'a browser that sends no more': {},
  }
  for (const [name, headers] of Object.entries(fetches)) {
    test(name, async () => {
      for (const changes of [{}, { kind: 'warn' }, PASSPHRASE] as const) {
        const answered = await send(changes, { ...headers, 'Sec-Fetch-Dest': 'empty' })
        assert.equal(answered.status, 403)
        assert.match(answered.body, /Continue from the gateway’s page/)
        assertOwnResponse(answered, 'page')
      }
    })
  }
})

test('a malformed query, and one of another version', async () => {
  const malformed = await send({}, CODE_NOT_WANTED, { target: (good) => `${good}&next=https://evil.example/` })
  assert.equal(malformed.status, 400)
  assertOwnResponse(malformed, 'problem')
  assert.doesNotMatch(malformed.body, /evil/)
  const other = await send({}, {}, { target: (good) => good.replace('v=1', 'v=2') })
  assert.equal(other.status, 400)
  assert.match(other.body, /different versions/)
})

describe('the payload', () => {
  const changed = (target: string) =>
    target.replace(/\.([^.])([^.]*&v)/, (_, one, rest) => `.${one === 'A' ? 'B' : 'A'}${rest}`)
  const none = undefined as never
  for (const [name, changes, target] of [
    ['changed', {}, changed],
    ['of a block', { kind: 'block', ack_token: none }, undefined],
    ['without the token', { ack_token: none }, undefined],
    ['of a warning without the token', { kind: 'warn', ack_token: none }, undefined],
  ] as const) {
    test(name, async () => {
      const answered = await send(changes, {}, target && { target })
      assert.equal(answered.status, 403)
      assert.match(answered.body, /This link isn’t valid/)
      assert.doesNotMatch(answered.body, /news\.example/)
      assertOwnResponse(answered, 'page')
    })
  }
})

describe('the code', () => {
  const codes: Readonly<Record<string, [Partial<VerdictClaims>, string | undefined]>> = {
    missing: [PASSPHRASE, undefined],
    unexpected: [{}, 'zq-code'],
    empty: [PASSPHRASE, ''],
    'empty and unexpected': [{}, ''],
    'a lone percent sign': [PASSPHRASE, 'zq-code%'],
    'overlong UTF-8': [PASSPHRASE, 'zq-code%C0%AF'],
    'a lone surrogate': [PASSPHRASE, 'zq-code%ED%A0%80'],
    'unencoded bytes': [PASSPHRASE, 'zq-code\xfc'],
    '257 bytes': [PASSPHRASE, 'x'.repeat(257)],
    '257 bytes in fewer characters': [PASSPHRASE, encodeURIComponent(`${'🗝'.repeat(64)}x`)],
  }
  for (const [name, [changes, code]] of Object.entries(codes)) {
    test(name, async () => {
      const answered = await send(changes, code === undefined ? {} : { 'X-Override-Code': code })
      assert.equal(answered.status, 400)
      assertOwnResponse(answered, code === undefined ? 'page' : 'problem')
      if (code === undefined) assert.match(answered.body, /href="https:\/\/news\.example\/today\?id=7&amp;x=y"/)
      assert.doesNotMatch(answered.body, /zq-code/)
      await requestLine(portal, asked[0]?.reference as string)
    })
  }
})

describe('not refused', async () => {
  const accepting = await startRelay({ after }, REDIRECT)
  const navigation = { 'Sec-Fetch-Dest': 'document' }
  const fetched = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }
  const code = { 'X-Override-Code': 'sesame' }
  const cases: Readonly<Record<string, readonly [RequestHeaders, Partial<VerdictClaims>?]>> = {
    'a browser without Fetch Metadata': [{}],
    'a click': [{ ...navigation, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' }],
    'Safari up to 17': [{ ...navigation, 'Sec-Fetch-Site': 'none' }],
    'a client that sends no destination': [{ 'Sec-Fetch-Mode': 'cors' }],
    'the fetch of Unlock, which sends a code': [{ ...fetched, ...code }, PASSPHRASE],
    'a code without Fetch Metadata': [code, PASSPHRASE],
  }
  for (const [name, [headers, changes]] of Object.entries(cases)) {
    test(name, async () => {
      const { target, reference } = acknowledgement(changes)
      assert.equal((await exchange(accepting.portal, target, headers)).status, 302)
      assert.equal(acceptanceOf(accepting.portal, reference)?.state, 'accepted')
    })
  }
})

test('without an engine it is always 404', async (t) => {
  const off = await startPortal(t)
  for (const method of ['GET', 'HEAD', 'POST']) {
    for (const headers of [{}, { 'Sec-Purpose': 'prefetch' }]) {
      const { target, reference } = acknowledgement()
      const answered = await exchange(off, target, headers, method)
      assert.equal(answered.status, 404)
      assertOwnResponse(answered, 'page')
      if (method === 'GET') assert.match(answered.body, /isn’t set up to pass on your choice/)
      assert.equal(acceptanceOf(off, reference), undefined)
    }
  }
})

test('a pipelined second acknowledgement that is malformed does not reach the engine either', async () => {
  requests += 2
  const bad = getBytes('/api/captive/ack?p=x')
  const answers = await exchangeBytes(portal, bad.replace('Connection: close\r\n', '') + bad)
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400', 'HTTP/1.1 400'])
})
