// Interpretation of the engine's response: edge cases beyond the tests of the relay.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { interpretResponse } from '../../../../src/portal/acknowledgement/engine-client/response.ts'

const PROBLEM = ['Content-Type', 'application/problem+json']

function interpret(status: number, rawHeaders: string[] = [], body: string | object = '') {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return interpretResponse({ status, reasonPhrase: '', rawHeaders, body: bytes })
}

describe('Location', () => {
  const good = [
    'https://news.example',
    'http://news.example/',
    'HTTPS://NEWS.EXAMPLE/',
    'https://user:password@news.example/',
    'https://[2001:db8::1]:8443/?a#b',
    'https://n\xc3\xbcrnberg.example/\xe2\x82\xac',
    'https://news.example/\xe9\xff',
    'https://news.example/%zz\\"<>^`{|}',
    `https://news.example/${'x'.repeat(12_000)}`,
  ]
  for (const location of good) {
    test(location.slice(0, 60), () => {
      const response = interpret(302, ['A', 'b', 'location', location, 'Connection', 'A'], 'body')
      assert.ok(response.kind === 'redirect')
      assert.deepEqual(response.headers, ['location', location])
      assert.equal(response.body.toString(), 'body')
    })
  }
  const bad = [
    '',
    'news.example',
    '/path',
    '//news.example/',
    'https:news.example',
    'https:/news.example',
    'https:\\\\news.example',
    'ftp://news.example/',
    'javascript://news.example/%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'httpss://news.example/',
    'xhttps://news.example/',
    'https://',
    'https://?',
    'https://a b/',
    'https://news.example/ x',
    'https://news.example/\t',
    'https://news.example/\x7f',
    'https://news.example/\0',
    'https://news.example:99999/',
    'https://\xff\xfe/',
    'https://%00/',
  ]
  for (const location of bad) {
    test(`${JSON.stringify(location)} is rejected`, () => {
      const response = interpret(302, ['Location', location])
      // With a status it would count as accepted.
      assert.deepEqual([response.kind, response.status], ['broken', undefined])
      assert.ok(response.kind === 'broken' && !response.reason.includes('news.example'))
    })
  }
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
    const others = [
      '',
      'null',
      '[]',
      '"x"',
      '1',
      '{',
      '{"type":1}',
      '{"type":null}',
      '{"type":["/override-code-rejected"]}',
    ]
    others.push(JSON.stringify({ type: `${'x'.repeat(300)}/override-code-rejected` }))
    others.push(JSON.stringify({ type: 'override-code-rejected' }), JSON.stringify({ type: `${type}?` }))
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

describe('Retry-After', () => {
  const seconds: Readonly<Record<string, number | undefined>> = {
    '0': 0,
    '900': 900,
    '007': 7,
    '999999999': 30 * 24 * 3600,
    '': undefined,
    '-1': undefined,
    '+1': undefined,
    '1.5': undefined,
    '1e3': undefined,
    '0x10': undefined,
    '12345678901': undefined,
    '5 ': undefined,
    'Wed, 21 Oct 2026 07:28:00 GMT': undefined,
  }
  for (const [value, expected] of Object.entries(seconds)) {
    test(JSON.stringify(value), () => {
      const response = interpret(429, ['Retry-After', value])
      if (expected === undefined) assert.deepEqual(response, { kind: 'rejected', status: 429, reason: 'status 429' })
      else assert.ok(response.kind === 'lockedOut' && response.retryAfter === expected)
    })
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
