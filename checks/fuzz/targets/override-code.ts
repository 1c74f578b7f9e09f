// The override code's header: rejected, or text that reaches the engine unchanged.
import assert from 'node:assert/strict'
import { decodeOverrideCode, encodeOverrideCode } from '../../../src/contract/acknowledgement.ts'
import type { Target } from '../target.ts'

export const overrideCode: Target = {
  name: 'override-code',
  seeds: [
    '0042',
    'correct%20horse',
    '%F0%9F%94%91',
    '%00%0D%0A',
    ' a ',
    '%',
    '%C3',
    'A'.repeat(256),
    '%41'.repeat(256),
  ],
  tokens: ['%', '%20', '%E2%82%AC', '%ED%A0%80', '%00', ' ', '+', '%25'],
  run(input) {
    const code = decodeOverrideCode(input.toString('latin1'))
    if (code === undefined) return
    assert.ok(code !== '' && code.isWellFormed() && Buffer.byteLength(code) <= 256)
    assert.match(encodeOverrideCode(code), /^[\x21-\x7e]+$/)
    assert.equal(decodeOverrideCode(encodeOverrideCode(code)), code)
  },
}
