import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PayloadOpener } from '../../src/contract/open.ts'
import { parseVerdictQuery } from '../../src/contract/query.ts'
import { buildVerdictUrl } from '../../src/contract/redirect.ts'
import type { Verdict, VerdictClaims } from '../../src/contract/verdict.ts'
import { ACK_TOKEN, claims, keyring } from '../support/payloads.ts'

const NOW = 1_800_000_000
const BASE_URL = 'https://portal.example'

function roundTrip(sealed: VerdictClaims): { verdict: Verdict; url: string } {
  const url = buildVerdictUrl(sealed, BASE_URL, keyring.sealing)
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

test('credentials never leave the engine', () => {
  const { verdict } = roundTrip(claims(NOW, { destination: 'https://anna:geheim@news.example/x' }))
  assert.equal(verdict.destination.href, 'https://news.example/x')
})

test('the query goes first, then the path', () => {
  const longQuery = roundTrip(claims(NOW, { destination: `https://news.example/path?q=${'x'.repeat(5000)}` }))
  assert.equal(longQuery.verdict.destination.href, 'https://news.example/path')
  assert.equal(longQuery.verdict.shortened, true)
  const longPath = roundTrip(claims(NOW, { destination: `https://news.example/${'x'.repeat(5000)}` }))
  assert.equal(longPath.verdict.destination.href, 'https://news.example/')
})

test('payloads of near lengths have the same length', () => {
  const lengths = [10, 20, 30].map((n) => roundTrip(claims(NOW, { rule_description: 'x'.repeat(n) })).url.length)
  assert.equal(new Set(lengths).size, 1)
})

test('any claims within their limits fit, and the token is never what gives', () => {
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
