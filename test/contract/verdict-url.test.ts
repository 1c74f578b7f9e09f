// The verdict URL from both ends: what the engine seals, redeem returns; any other query is refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compactDecrypt } from 'jose'
import { deriveKeyring } from '../../src/contract/secret.ts'
import { VERDICT_PATH, type Verdict, type VerdictClaims } from '../../src/contract/verdict.ts'
import { parseVerdictQuery, redeem, seal } from '../../src/contract/verdict-url.ts'
import { ACK_TOKEN, claims, keyring, vectors, verdictQuery } from '../support/payloads.ts'

const NOW = 1_800_000_000
const BASE_URL = 'https://portal.example'
const options = { now: NOW * 1000, maxAgeSeconds: 300 }

// Those that must be refused, and over HTTP: test/portal/verdict/vectors.test.ts.
describe('the vectors', () => {
  for (const { secret, p, v, ts, name, path, claims } of vectors.good) {
    test(`redeem: ${name}`, () => {
      const other = vectors.secrets.map((entry) => entry.secret).find((candidate) => candidate !== secret) ?? secret
      // During a rotation the second secret opens as well as the first.
      const { verdict } = redeem(`p=${p}&v=${v}&ts=${ts}`, deriveKeyring([other, secret]), options) as {
        verdict: Verdict
      }
      assert.equal(VERDICT_PATH[verdict.kind], path)
      assert.equal(verdict.reference, claims.jti)
      assert.equal(verdict.issuedAt, claims.ts)
      assert.equal(verdict.destination.href, new URL(claims.destination).href)
      assert.equal(verdict.ruleName, claims.rule_name)
      assert.equal(verdict.ruleDescription, claims.rule_description)
      assert.equal(verdict.category, claims.category)
      assert.equal(verdict.ackToken, claims.ack_token)
      assert.equal(verdict.override?.type, claims.override?.type)
      assert.equal(verdict.override?.prompt, claims.override?.prompt)
    })
  }
})

describe('the query', () => {
  test('has the three parameters, in any order', () => {
    const query = { p: 'abc', ts: 1800000000, text: 'p=abc&v=1&ts=1800000000' }
    assert.deepEqual(parseVerdictQuery('p=abc&v=1&ts=1800000000'), { query })
    assert.deepEqual(parseVerdictQuery('ts=1800000000&p=abc&v=1'), { query })
  })
  test('with an unsupported version is distinguished from a malformed one', () => {
    for (const v of ['2', '9'.repeat(400)]) {
      assert.deepEqual(parseVerdictQuery(`p=abc&v=${v}&ts=1800000000`), { refusal: 'version' })
    }
  })
  const malformed = [
    ...['', 'p=abc', 'v=1&ts=1800000000', 'p=abc;v=1;ts=1800000000', 'p=a&p=b&v=1&ts=1800000000'],
    ...['', 'p', 'p=', 'p[]=abc', 'P=abc', '%70=abc', '&p=abc', 'p=abc&'].map((p) => `${p}&v=1&ts=1800000000`),
    ...['', '01', '0', '1.0', '-1', '1&v=1'].map((v) => `p=abc&v=${v}&ts=1800000000`),
    ...['', '0x6b49d200', '1e9', '+1700000000', '1700000000.5', ' 1700000000', '170000000', '17000000000', '0700000000']
      .concat('١٧٠٠٠٠٠٠٠٠', '1800000000&', '1800000000&x=1', '1800000000&ts=1800000000', '1'.repeat(30))
      .concat(`1800000000${'&x=1'.repeat(2000)}`)
      .map((ts) => `p=abc&v=1&ts=${ts}`),
  ]
  test('is refused in any other form', () => {
    for (const query of malformed) assert.deepEqual(redeem(query, keyring, options), { refusal: 'query' }, query)
  })
  test('has the `ts` of the payload', () => {
    const query = verdictQuery(claims(NOW))
    assert.deepEqual(redeem(query.replace(/\d$/, '1'), keyring, options), { refusal: 'ts mismatch' })
  })
})

test('the age: a minute ahead, the replay window and the reading time, to the second', () => {
  const ageAt = (seconds: number, maxAgeSeconds = 300) => {
    const redeemed = redeem(verdictQuery(claims(NOW)), keyring, { now: (NOW + seconds) * 1000 + 999, maxAgeSeconds })
    return redeemed.refusal === undefined ? redeemed.age : redeemed.refusal
  }
  assert.deepEqual(
    [-61, -60, 0, 300, 301, 1200, 1201].map((seconds) => ageAt(seconds)),
    [...['future', 'fresh', 'fresh', 'fresh', 'late', 'late', 'expired']],
  )
  assert.deepEqual(
    [-11, -10, 10, 11, 910, 911].map((seconds) => ageAt(seconds, 10)),
    [...['future', 'fresh', 'fresh', 'late', 'late', 'expired']],
  )
})

describe('sealing', () => {
  function roundTrip(sealed: VerdictClaims, baseUrl = BASE_URL): { verdict: Verdict; url: string } {
    const { url } = seal(sealed, baseUrl, keyring.sealing)
    const { verdict, refusal } = redeem(url.slice(url.indexOf('?') + 1), keyring, options)
    assert.equal(refusal, undefined)
    return { verdict: verdict as Verdict, url }
  }

  test('the URL has exactly the three parameters and opens again', () => {
    const { verdict, url } = roundTrip(claims(NOW))
    assert.match(url, /^https:\/\/portal\.example\/blocked\?p=[\w.-]+&v=1&ts=1800000000$/)
    assert.equal(verdict.destination.href, 'https://news.example/today?id=7&x=y')
    assert.equal(verdict.shortened, false)
  })
  test('credentials never leave the engine', async () => {
    for (const credentials of ['anna:geheim', ':geheim', 'anna']) {
      const { url } = roundTrip(claims(NOW, { destination: `https://${credentials}@news.example/x` }))
      // Checked in the sealed payload, because the portal drops credentials, too.
      const { plaintext } = await compactDecrypt(/p=([^&]+)/.exec(url)?.[1] ?? '', keyring.sealing.key)
      assert.equal(JSON.parse(new TextDecoder().decode(plaintext)).destination, 'https://news.example/x')
    }
  })
  test('query and fragment are removed first, then the path', () => {
    for (const long of ['?q=', '#', '?q#']) {
      const { verdict } = roundTrip(claims(NOW, { destination: `https://news.example/path${long}${'x'.repeat(5000)}` }))
      assert.equal(verdict.destination.href, 'https://news.example/path')
      assert.equal(verdict.shortened, true)
    }
    const longPath = roundTrip(claims(NOW, { destination: `https://news.example/${'x'.repeat(5000)}` }))
    assert.equal(longPath.verdict.destination.href, 'https://news.example/')
  })
  test('with a long base URL the path is removed, and claims that still do not fit are an error', () => {
    const sealed = claims(NOW, { destination: `https://news.example/${'x'.repeat(2900)}` })
    const baseUrl = (length: number) => `${BASE_URL}/${'x'.repeat(length)}`
    assert.equal(roundTrip(sealed, baseUrl(100)).verdict.shortened, false)
    // To the byte: the longest URL that is kept, and the first that is cut.
    const room = 7499 - roundTrip(sealed, baseUrl(0)).url.length
    assert.equal(roundTrip(sealed, baseUrl(room)).url.length, 7499)
    const { verdict, url } = roundTrip(sealed, baseUrl(room + 1))
    assert.equal(verdict.destination.href, 'https://news.example/')
    assert.ok(url.length < 7500)
    assert.throws(() => roundTrip(sealed, baseUrl(7500)), RangeError)
  })
  test('claims that fill the plaintext to its last byte are not padded beyond it', () => {
    const sealed = claims(NOW, { destination: `https://news.example/${'x'.repeat(2900)}`, rule_description: '' })
    const rest = 4096 - Buffer.byteLength(JSON.stringify(sealed))
    const { verdict } = roundTrip({ ...sealed, rule_description: 'x'.repeat(rest) })
    assert.equal(verdict.shortened, false)
    assert.equal(verdict.ruleDescription.length, rest)
  })
  test('payloads of similar lengths have the same length', () => {
    const lengthWith = (n: number) => roundTrip(claims(NOW, { rule_description: 'x'.repeat(n) })).url.length
    assert.equal(lengthWith(10), lengthWith(30))
  })
  test('any claims within their limits fit, and the token is never removed', () => {
    const text = (most: number) =>
      fc.string({ unit: 'grapheme', maxLength: most }).filter((s) => Buffer.byteLength(s) <= most)
    const site = fc.webUrl({ withQueryParameters: true })
    fc.assert(
      fc.property(site, fc.nat(4000), text(1024), text(128), (site, tail, why, category) => {
        const destination = `${site}/${'x'.repeat(tail)}`
        const token = ACK_TOKEN.repeat(16)
        const changes = { kind: 'aup', destination, rule_description: why, category, ack_token: token } as const
        const { verdict, url } = roundTrip(claims(NOW, changes))
        assert.equal(verdict.ackToken, token)
        assert.ok(url.length < 7500)
      }),
    )
  })
})
