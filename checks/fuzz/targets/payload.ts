// The payload opener, given any text as `p`: it opens only what the engine has sealed.
import assert from 'node:assert/strict'
import { openPayload } from '../../../src/contract/payload.ts'
import { claims, keyring, vectors } from '../../../test/support/payloads.ts'
import { sealText } from '../seal-text.ts'
import { MAXIMUM_INPUT_BYTES, type Target } from '../target.ts'

const NOW = 1_800_000_000
const own = sealText(JSON.stringify(claims(NOW)))
const opens = (p: string) => openPayload(p, keyring).refusal === undefined
const known = [own, ...[...vectors.good, ...vectors.bad].map(({ p }) => p)]
const sealed = new Set(known.filter(opens))

export const payload: Target = {
  name: 'payload',
  seeds: known.filter(({ length }) => length < MAXIMUM_INPUT_BYTES),
  tokens: ['.', '..', '=', '-', '_', '+', '/', 'A', 'eyJ', own.split('.')[0] as string, base64url('{"alg":"dir"}')],
  run(input) {
    const p = input.toString('latin1')
    const { refusal } = openPayload(p, keyring)
    if (refusal !== undefined) assert.match(refusal, /^(form|header|key|tag|not JSON)$/)
    else assert.ok(sealed.has(p), 'opened a payload that was never sealed')
  },
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
