// The limits of the claims are in bytes of UTF-8 (protocol v1, section 1).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseClaims, type Verdict, type VerdictClaims } from '../../src/contract/verdict.ts'
import { ACK_TOKEN, claims } from '../support/payloads.ts'

const LIMITS: Readonly<Record<string, [most: number, (text: string) => object]>> = {
  destination: [3000, (text) => ({ destination: `https://news.example/${text.slice(21)}` })],
  rule_name: [128, (rule_name) => ({ rule_name })],
  rule_description: [1024, (rule_description) => ({ rule_description })],
  category: [128, (category) => ({ category })],
  rule_descriptions: [1024, (de) => ({ rule_descriptions: { en: 'x', de } })],
  ack_token: [512, (ack_token) => ({ kind: 'warn', ack_token })],
  prompt: [80, (prompt) => ({ kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'passphrase', prompt } })],
}

for (const [member, [most, changes]] of Object.entries(LIMITS)) {
  test(`${member}: ${most} bytes are accepted, one more is not`, () => {
    const refusalOf = (text: string) => parseClaims({ ...claims(1_800_000_000), ...changes(text) }).refusal
    // The address before it is counted too.
    const prefix = member === 'destination' ? 'x'.repeat(21) : ''
    for (const character of ['a', 'ü', '€', '🗝']) {
      const fitting = Math.floor((most - prefix.length) / Buffer.byteLength(character))
      assert.equal(refusalOf(prefix + character.repeat(fitting)), undefined, character)
      const refused = `claim ${member === 'prompt' ? 'override' : member}`
      assert.equal(refusalOf(prefix + character.repeat(fitting + 1)), refused, character)
    }
  })
}

test('a null member is not a missing member', () => {
  const sealed = claims(1_800_000_000, { kind: 'warn', ack_token: ACK_TOKEN })
  assert.equal(parseClaims(sealed).verdict?.shortened, false)
  for (const member of ['shortened', 'category', 'ack_token', 'override', 'pad', 'session_seconds', 'opens_at']) {
    assert.equal(parseClaims({ ...sealed, [member]: null }).refusal, `claim ${member}`)
  }
})

describe('rule_descriptions', () => {
  const read = (rule_descriptions: unknown) => parseClaims({ ...claims(1_800_000_000), rule_descriptions })
  const parse = (texts: unknown) => (read(texts).verdict as Verdict).ruleDescriptions
  const refused = { refusal: 'claim rule_descriptions' }

  test('are texts by language tag, in any case', () => {
    assert.deepEqual(
      [...parse({ de: 'Nein.', 'pt-BR': '', 'ZH-Hant-tw': '不' })],
      [
        ['de', 'Nein.'],
        ['pt-br', ''],
        ['zh-hant-tw', '不'],
      ],
    )
    assert.equal(parse({}).size, 0)
    assert.equal(parseClaims(claims(1_800_000_000)).verdict?.ruleDescriptions.size, 0)
    assert.equal(parse({ de: 'a\ud800b' }).get('de'), 'a\ufffdb')
  })
  test('are refused as anything but an object of texts', () => {
    for (const hostile of [null, [], ['de'], 'de', 1, { de: null }, { de: 1 }, { de: { de: '' } }]) {
      assert.deepEqual(read(hostile), refused, JSON.stringify(hostile))
    }
  })
  test('are refused with a tag that is none', () => {
    for (const tag of [
      '',
      'd',
      'de_CH',
      'de-',
      '-de',
      'de--CH',
      'de ',
      'dé',
      '<b>',
      'abcdefghi',
      `de${'-a1'.repeat(12)}`,
    ]) {
      assert.deepEqual(read({ [tag]: 'x' }), refused, tag)
    }
    assert.deepEqual(read(JSON.parse('{"__proto__":"x"}')), refused)
    assert.deepEqual(read({ de: 'Nein.', DE: 'Doch.' }), refused, 'one tag in two spellings')
  })
})

test('session_seconds are from a minute to 31 days, in whole seconds', () => {
  const read = (session_seconds: unknown) => parseClaims({ ...claims(1_800_000_000), session_seconds })
  for (const seconds of [undefined, 60, 3600, 2_678_400]) assert.equal(read(seconds).verdict?.sessionSeconds, seconds)
  for (const hostile of [59, 2_678_401, -60, 90.5, NaN, Infinity, '3600', [3600]]) {
    assert.deepEqual(read(hostile), { refusal: 'claim session_seconds' })
  }
})

test('opens_at is a moment within 36 hours of the verdict, in whole seconds', () => {
  const ts = 1_800_000_000
  const read = (opens_at: unknown) => parseClaims({ ...claims(ts), opens_at })
  for (const at of [undefined, ts, ts + 129_600]) assert.equal(read(at).verdict?.opensAt, at)
  for (const hostile of [ts - 1, ts + 129_601, -1, ts + 0.5, NaN, Infinity, `${ts}`, [ts]]) {
    assert.deepEqual(read(hostile), { refusal: 'claim opens_at' })
  }
})

test('a "block" has no ack_token, and without an ack_token there is no code', () => {
  const refusalOf = (changes: Partial<VerdictClaims>) => parseClaims(claims(1_800_000_000, changes)).refusal
  assert.equal(refusalOf({ kind: 'block', ack_token: ACK_TOKEN }), 'claim ack_token')
  for (const kind of ['warn', 'block'] as const) {
    assert.equal(refusalOf({ kind, override: { type: 'pin' } }), 'claim override')
  }
})
