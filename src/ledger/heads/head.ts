// A signed tree head: its canonical form, its hash and its Ed25519 signature.
import { createPrivateKey, createPublicKey, hash, hkdfSync, randomUUIDv7, sign, verify } from 'node:crypto'
import type { HeadRecord } from '../schema.ts'

export type UnsignedHead = Omit<HeadRecord, 'signature'>

/** Signs the heads of one portal process. */
export interface HeadSigner {
  /** Names its chain. */
  readonly portal: string
  /** The public key, base64url. */
  readonly key: string
  sign(head: UnsignedHead): HeadRecord
}

const INFO = 'captive-portal ledger heads v1'
/** PKCS #8 of an Ed25519 key up to its seed (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** @param secret the key is derived from it, so that it needs neither a file nor a setting */
export function createHeadSigner(secret: string): HeadSigner {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', INFO, 32))
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  return {
    portal: randomUUIDv7(),
    key: `${createPublicKey(privateKey).export({ format: 'jwk' }).x}`,
    sign: (head) => ({ ...head, signature: sign(null, canonical(head), privateKey).toString('base64url') }),
  }
}

/** @returns hexadecimal */
export const headHash = (head: UnsignedHead): string => hash('sha256', canonical(head))

/** Whether it was signed by the key that it names. */
export function isSigned(head: HeadRecord): boolean {
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: head.key }, format: 'jwk' })
    return verify(null, canonical(head), publicKey, Buffer.from(head.signature, 'base64url'))
  } catch {
    return false
  }
}

function canonical({ portal, number, at, until, size, root, previous, key }: UnsignedHead): Buffer {
  return Buffer.from(JSON.stringify(['head-v1', portal, number, at, until, size, root, previous, key]))
}
