import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { printable, printableJson, printableLines } from '../../src/gatewayctl/terminal/printable.ts'

// Escape sequences in both forms, invisible and bidirectional controls, a lone surrogate, line ends, and a tag character.
const HOSTILE = 'a\u001b[2Jb\u009b31mc\u202ed\u2066e\u200bf\u00adg\ud800h\u2028i\u007fj\u{e0041}k'
const SPELT = 'a\\u{1b}[2Jb\\u{9b}31mc\\u{202e}d\\u{2066}e\\u{200b}f\\u{ad}g\\u{d800}h\\u{2028}i\\u{7f}j\\u{e0041}k'

test('escapes invisible characters, and nothing else', () => {
  assert.equal(printable(HOSTILE), SPELT)
  assert.equal(printable('two\nlines\tand\rmore'), 'two\\u{a}lines\\u{9}and\\u{d}more')
  const seen = 'Größe „x“ — «é» 🛑 日本 عربى \\ " \''
  assert.equal(printable(seen), seen)
  assert.equal(printable(null), 'null')
  assert.equal(printable(new Uint8Array([27, 91])), '27,91')
})

test('a text keeps its line breaks', () => {
  assert.equal(printableLines(`one\r\ntwo\n\t${HOSTILE}\rx`), `one\ntwo\n\t${SPELT}\\u{d}x`)
})

test('JSON keeps its meaning, without invisible characters', () => {
  const text = fc.string({ unit: fc.constantFrom(...HOSTILE, '"', '\\', '\n', '\t', 'ä') })
  const record = fc.dictionary(text, fc.oneof(text, fc.integer()))
  fc.assert(
    fc.property(record, (value) => {
      const json = printableJson(value, 2)
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)))
      assert.doesNotMatch(json.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u)
    }),
  )
  assert.doesNotMatch(printableJson({ text: HOSTILE }), /\p{C}/u)
})
