// The limits of the claims are in bytes of UTF-8 (protocol v1, section 1).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { InvalidClaims, parseClaims } from '../../src/contract/verdict.ts'
import { ACK_TOKEN, claims } from '../support/payloads.ts'

const LIMITS: Readonly<Record<string, [most: number, (text: string) => object]>> = {
  destination: [3000, (text) => ({ destination: `https://news.example/${text.slice(21)}` })],
  rule_name: [128, (rule_name) => ({ rule_name })],
  rule_description: [1024, (rule_description) => ({ rule_description })],
  category: [128, (category) => ({ category })],
  ack_token: [512, (ack_token) => ({ kind: 'warn', ack_token })],
  prompt: [80, (prompt) => ({ kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'passphrase', prompt } })],
}

for (const [member, [most, changes]] of Object.entries(LIMITS)) {
  describe(member, () => {
    const parse = (text: string) => parseClaims({ ...claims(1_800_000_000), ...changes(text) })
    const refused = (error: unknown) => error instanceof InvalidClaims && error.member === member
    test(`${most} bytes are accepted, one more is not`, () => {
      parse('a'.repeat(most))
      assert.throws(() => parse('a'.repeat(most + 1)), refused)
    })
    test('a character counts as its bytes', () => {
      for (const [character, bytes] of [
        ['ü', 2],
        ['€', 3],
        ['🗝', 4],
      ] as const) {
        // The address before it is counted too.
        const prefix = member === 'destination' ? 'x'.repeat(21) : ''
        const fitting = Math.floor((most - prefix.length) / bytes)
        parse(prefix + character.repeat(fitting))
        assert.throws(() => parse(prefix + character.repeat(fitting + 1)), refused, character)
      }
    })
  })
}

test('100 × ü are 200 bytes: too many for a category, though 100 characters would fit', () => {
  assert.throws(() => parseClaims(claims(1_800_000_000, { category: 'ü'.repeat(100) })), InvalidClaims)
  assert.equal(parseClaims(claims(1_800_000_000, { category: 'ü'.repeat(64) })).category, 'ü'.repeat(64))
})
