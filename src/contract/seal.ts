// The engine's half of the payload: claims in, `p` out.
import { createCipheriv, randomBytes } from 'node:crypto'
import { MAXIMUM_PAYLOAD_CHARACTERS, MAXIMUM_PLAINTEXT_BYTES } from './open.ts'
import type { PayloadKey } from './secret.ts'
import type { VerdictClaims } from './verdict.ts'

/**
 * Seals claims as a compact JWE (RFC 7516, `dir` with A256GCM).
 * @throws {RangeError} when the claims have more than 4,096 bytes
 */
export function sealPayload(claims: VerdictClaims, { kid, key }: PayloadKey): string {
  const plaintext = Buffer.from(JSON.stringify(claims))
  if (plaintext.length > MAXIMUM_PLAINTEXT_BYTES) {
    throw new RangeError(`claims have ${plaintext.length} bytes; at most ${MAXIMUM_PLAINTEXT_BYTES} are allowed`)
  }
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })).toString('base64url')
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(Buffer.from(header))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const p = [header, '', iv.toString('base64url'), ciphertext.toString('base64url')]
    .concat(cipher.getAuthTag().toString('base64url'))
    .join('.')
  if (p.length > MAXIMUM_PAYLOAD_CHARACTERS) throw new RangeError('the payload is longer than the protocol allows')
  return p
}
