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
  rule_descriptions: [1024, (de) => ({ rule_descriptions: { en: 'x', de } })],
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

describe('rule_descriptions', () => {
  const parse = (rule_descriptions: unknown) =>
    parseClaims({ ...claims(1_800_000_000), rule_descriptions }).ruleDescriptions
  const refused = (error: unknown) => error instanceof InvalidClaims && error.member === 'rule_descriptions'

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
    assert.equal(parseClaims(claims(1_800_000_000)).ruleDescriptions.size, 0)
    assert.equal(parse({ de: 'a\ud800b' }).get('de'), 'a\ufffdb')
  })
  test('are refused as anything but an object of texts', () => {
    for (const hostile of [
      null,
      [],
      ['de'],
      'de',
      1,
      true,
      { de: null },
      { de: 1 },
      { de: ['Nein.'] },
      { de: { de: '' } },
    ]) {
      assert.throws(() => parse(hostile), refused, JSON.stringify(hostile))
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
      '*',
      'abcdefghi',
      `de${'-a1'.repeat(12)}`,
    ]) {
      assert.throws(() => parse({ [tag]: 'x' }), refused, tag)
    }
    assert.throws(() => parse(JSON.parse('{"__proto__":"x"}')), refused)
  })
  test('are refused with one tag in two spellings', () => {
    assert.throws(() => parse({ de: 'Nein.', DE: 'Doch.' }), refused)
  })
})

describe('session_seconds', () => {
  const parse = (session_seconds: unknown) => parseClaims({ ...claims(1_800_000_000), session_seconds }).sessionSeconds
  test('are from a minute to 31 days, in whole seconds', () => {
    for (const seconds of [60, 3600, 2_678_400]) assert.equal(parse(seconds), seconds)
    assert.equal(parseClaims(claims(1_800_000_000)).sessionSeconds, undefined)
    for (const hostile of [59, 2_678_401, 0, -60, 90.5, NaN, Infinity, '3600', null, [3600], {}, true]) {
      assert.throws(
        () => parse(hostile),
        (error) => error instanceof InvalidClaims && error.member === 'session_seconds',
      )
    }
  })
})
