// The engine's half of the payload: claims in, `p` out.
import { createCipheriv } from 'node:crypto'
import { MAXIMUM_PAYLOAD_CHARACTERS, MAXIMUM_PLAINTEXT_BYTES } from './open.ts'
import { takeRandomBytes } from './random-bytes.ts'
import type { PayloadKey } from './secret.ts'
import type { VerdictClaims } from './verdict.ts'

/**
 * Seals claims as a compact JWE (RFC 7516, `dir` with A256GCM).
 * @throws {RangeError} when the claims have more than 4,096 bytes
 */
export function sealPayload(claims: VerdictClaims, key: PayloadKey): string {
  return sealJson(JSON.stringify(claims), key)
}

/** The same for claims as JSON. */
export function sealJson(json: string, { kid, key }: PayloadKey): string {
  const plaintext = Buffer.from(json)
  if (plaintext.length > MAXIMUM_PLAINTEXT_BYTES) {
    throw new RangeError(`claims have ${plaintext.length} bytes; at most ${MAXIMUM_PLAINTEXT_BYTES} are allowed`)
  }
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })).toString('base64url')
  const iv = takeRandomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(Buffer.from(header))
  // All of it: in GCM, `final` only computes the tag.
  const ciphertext = cipher.update(plaintext)
  cipher.final()
  const [initial, sealed, tag] = [iv, ciphertext, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))
  const p = `${header}..${initial}.${sealed}.${tag}`
  if (p.length > MAXIMUM_PAYLOAD_CHARACTERS) throw new RangeError('the payload is longer than the protocol allows')
  return p
}
