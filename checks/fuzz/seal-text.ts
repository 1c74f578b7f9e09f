// Seals any text as the plaintext of an authentic payload, as an engine that violates the protocol could.
import { createCipheriv, randomBytes } from 'node:crypto'
import { keyring } from '../../test/support/payloads.ts'

export function sealText(plaintext: string | Uint8Array): string {
  const { kid, key } = keyring.sealing
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid })).toString('base64url')
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(Buffer.from(header))
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext)), cipher.final()])
  return [header, '', ...[iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
}
