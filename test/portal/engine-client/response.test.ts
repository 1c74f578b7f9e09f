// Interpretation of the engine's response: edge cases beyond the tests of the relay.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { interpretResponse } from '../../../src/portal/engine-client/response.ts'

const PROBLEM = ['Content-Type', 'application/problem+json']

function interpret(status: number, rawHeaders: string[] = [], body: string | object = '') {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return interpretResponse({ status, reasonPhrase: '', rawHeaders, body: bytes })
}

describe('Location', () => {
  const good = [
    'https://news.example',
    'HTTPS://NEWS.EXAMPLE/',
    'https://user:password@news.example/',
    'https://[2001:db8::1]:8443/?a#b',
    'https://n\xc3\xbcrnberg.example/\xe2\x82\xac',
    'https://news.example/\xe9\xff%zz\\"<>^`{|}',
    `http://news.example/${'x'.repeat(12_000)}`,
  ]
  test('of http and https is relayed unchanged', () => {
    for (const location of good) {
      const response = interpret(302, ['A', 'b', 'location', location, 'Connection', 'A'], 'body')
      assert.ok(response.kind === 'redirect', location)
      assert.deepEqual(response.headers, ['location', location])
      assert.equal(response.body.toString(), 'body')
    }
  })
  const bad = [
    '',
    'news.example',
    '//news.example/',
    'https:news.example',
    'https:\\\\news.example',
    'javascript://news.example/%0aalert(1)',
    'data:text/html,x',
    'xhttps://news.example/',
    'https://?',
    'https://a b/',
    'https://news.example/ x',
    'https://news.example/\x7f',
    'https://news.example:99999/',
    'https://\xff\xfe/',
    'https://%00/',
  ]
  test('of another form is rejected, and in no log', () => {
    for (const location of bad) {
      const response = interpret(302, ['Location', location])
      // With a status it would count as accepted.
      assert.deepEqual([response.kind, response.status], ['broken', undefined], location)
      assert.ok(response.kind === 'broken' && !response.reason.includes('news.example'))
    }
  })
  test('twice, even if identical', () => {
    assert.equal(interpret(302, ['Location', 'https://a/', 'LOCATION', 'https://a/']).kind, 'broken')
  })
})

describe('a problem', () => {
  const type = 'https://engine.example/problems/override-code-rejected'
  test('is recognised by its media type, in any spelling', () => {
    for (const mediaType of ['application/problem+json', 'Application/Problem+JSON ; charset=utf-8']) {
      const response = interpret(403, ['content-type', mediaType], { type, attempts_remaining: 2 })
      assert.deepEqual(response, { kind: 'codeRejected', status: 403, problemType: type, attemptsRemaining: 2 })
    }
    for (const mediaType of ['application/json', 'text/html', 'application/problem+json2', '']) {
      assert.equal(interpret(403, ['content-type', mediaType], { type }).kind, 'refused')
    }
  })
  test('accepts only non-negative integers as attempts', () => {
    for (const left of [-1, 1.5, '2', null, [], 2 ** 53, true]) {
      const response = interpret(403, PROBLEM, { type, attempts_remaining: left })
      assert.deepEqual(response, { kind: 'codeRejected', status: 403, problemType: type, attemptsRemaining: undefined })
    }
  })
  test('that is invalid counts as a plain refusal', () => {
    const types = [1, null, ['/override-code-rejected'], 'override-code-rejected', `${type}?`]
    types.push(`${'x'.repeat(300)}/override-code-rejected`)
    const others = ['', 'null', '[]', '{', ...types.map((one) => JSON.stringify({ type: one }))]
    others.push('{"__proto__":{"type":"/override-code-rejected"}}', '['.repeat(60_000))
    for (const body of others) assert.deepEqual(interpret(403, PROBLEM, body), { kind: 'refused', status: 403 })
  })
  test('forwards the type of a lockout and an expiry', () => {
    const locked = interpret(429, [...PROBLEM, 'Retry-After', '5'], { type: 'urn:locked' })
    assert.deepEqual(locked, { kind: 'lockedOut', status: 429, retryAfter: 5, problemType: 'urn:locked' })
    assert.deepEqual(interpret(410, PROBLEM, { type: 'urn:gone' }), {
      kind: 'expired',
      status: 410,
      problemType: 'urn:gone',
    })
  })
})

test('Retry-After is a number of seconds, at most thirty days', () => {
  for (const [value, retryAfter] of [
    ['0', 0],
    ['007', 7],
    ['999999999', 30 * 24 * 3600],
  ] as const) {
    const response = interpret(429, ['Retry-After', value])
    assert.ok(response.kind === 'lockedOut' && response.retryAfter === retryAfter, value)
  }
  for (const value of ['', '-1', '+1', '1.5', '1e3', '0x10', '12345678901', '5 ', 'Wed, 21 Oct 2026 07:28:00 GMT']) {
    const rejected = { kind: 'rejected', status: 429, reason: 'status 429' }
    assert.deepEqual(interpret(429, ['Retry-After', value]), rejected, value)
  }
})

test('every other 4xx is rejected, and any other status broken', () => {
  for (let status = 100; status < 1000; status++) {
    if ([302, 403, 410].includes(status)) continue
    const response = interpret(status, ['Location', 'https://news.example/'])
    assert.equal(response.kind, status >= 400 && status < 500 ? 'rejected' : 'broken', String(status))
    assert.equal(response.status, status)
  }
})
