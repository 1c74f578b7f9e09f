import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSecrets } from '../../src/contract/secret.ts'

const FIRST = 'a7Kq-first-secret-value-0123456789abcdef'
const SECOND = 'b8Lr-second-secret-value-0123456789abcde'

test('one secret, and two during a rotation, separated by any white space', () => {
  assert.deepEqual(parseSecrets(FIRST), [FIRST])
  assert.deepEqual(parseSecrets(`${FIRST}\n`), [FIRST])
  assert.deepEqual(parseSecrets(`\n${FIRST}\t${SECOND}\r\n`), [FIRST, SECOND])
})

const refused: [string, string, RegExp][] = [
  ['nothing', ' \n', /empty/],
  ['a short one', 'short', /32 or more/],
  ['a short second one', `${FIRST} short`, /32 or more/],
  ['three', `${FIRST} ${SECOND} ${FIRST}x`, /at most two/],
  ['the same twice', `${FIRST} ${FIRST}`, /twice/],
  ['an example', 'change-me-change-me-change-me-change-me', /example/],
  ['one character over and over', 'x'.repeat(40), /example/],
]
for (const [name, text, rule] of refused) {
  test(`rejected without showing it: ${name}`, () => {
    assert.throws(
      () => parseSecrets(text),
      ({ message }: Error) => rule.test(message) && (text.trim() === '' || !message.includes(text.trim())),
    )
  })
}
