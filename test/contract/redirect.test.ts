import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compactDecrypt } from 'jose'
import { PayloadOpener } from '../../src/contract/open.ts'
import { parseVerdictQuery } from '../../src/contract/query.ts'
import { buildVerdictUrl } from '../../src/contract/redirect.ts'
import type { Verdict, VerdictClaims } from '../../src/contract/verdict.ts'
import { ACK_TOKEN, claims, keyring } from '../support/payloads.ts'

const NOW = 1_800_000_000
const BASE_URL = 'https://portal.example'

function roundTrip(sealed: VerdictClaims, baseUrl = BASE_URL): { verdict: Verdict; url: string } {
  const { url } = buildVerdictUrl(sealed, baseUrl, keyring.sealing)
  const query = parseVerdictQuery(url.slice(url.indexOf('?') + 1))
  assert.ok(typeof query === 'object')
  const verdict = new PayloadOpener(keyring).open(query)
  assert.ok(typeof verdict === 'object', `refused: ${String(verdict)}`)
  return { verdict, url }
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
  const lengths = [10, 20, 30].map((n) => roundTrip(claims(NOW, { rule_description: 'x'.repeat(n) })).url.length)
  assert.equal(new Set(lengths).size, 1)
})

test('any claims within their limits fit, and the token is never removed', () => {
  const text = (most: number) =>
    fc.string({ unit: 'grapheme', maxLength: most }).filter((s) => Buffer.byteLength(s) <= most)
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true }),
      fc.nat(4000),
      text(1024),
      text(128),
      (site, tail, why, category) => {
        const { verdict, url } = roundTrip(
          claims(NOW, {
            kind: 'aup',
            destination: `${site}/${'x'.repeat(tail)}`,
            rule_description: why,
            category,
            ack_token: ACK_TOKEN.repeat(16),
          }),
        )
        assert.equal(verdict.ackToken, ACK_TOKEN.repeat(16))
        assert.ok(url.length < 7500)
      },
    ),
  )
})
