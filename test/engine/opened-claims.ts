// The claims of a payload as they are on the wire: the portal's parser drops those that it does not use.
import { createDecipheriv } from 'node:crypto'
import { keyring } from '../support/payloads.ts'

export function openedClaims(p: string): Record<string, unknown> {
  const [header = '', , iv = '', ciphertext = '', tag = ''] = p.split('.')
  const decipher = createDecipheriv('aes-256-gcm', keyring.sealing.key, Buffer.from(iv, 'base64url'), {
    authTagLength: 16,
  })
  decipher.setAAD(Buffer.from(header)).setAuthTag(Buffer.from(tag, 'base64url'))
  return JSON.parse(Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()]).toString())
}
