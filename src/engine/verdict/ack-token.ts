// The ack_token: what an engine has to know when a verdict is acknowledged, sealed with a key that only the engines have.
// Issuing a verdict stores nothing, and any engine with the key can redeem it, after a restart too.
import { createCipheriv, createDecipheriv, hash, type KeyObject } from 'node:crypto'
import type { Destination } from '../../contract/destination.ts'
import type { VerdictKind } from '../../contract/verdict.ts'
import type { WarnOrAupRule } from '../policy/policy.ts'
import { parseClient } from '../request/client.ts'
import type { Identity } from '../request/decision-request.ts'

/** Claims of the payload that contains the token: the token does not open in another payload. */
export interface TokenContext {
  /** The verdict's id: 128 random bits, never used twice. */
  readonly reference: string
  readonly kind: VerdictKind
  readonly ruleName: string
  /** Only its origin counts: the rest may have been shortened. */
  readonly destination: Destination
}

export interface AckToken {
  readonly identity: Identity
  /** Unix seconds: the last second in which it can be redeemed. */
  readonly expiresAt: number
  /** See `codeFormatOf`. */
  readonly codeFormat: number
  /** Of the whole URL, see `digestOf`. */
  readonly digest: string
}

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
const DIGEST_BYTES = 16
const HEAD_BYTES = 4 + 1 + DIGEST_BYTES + 1

/** What the rule requires of the visitor, as a byte: 0 without a code, the length of a PIN, or 255 for a passphrase. */
export function codeFormatOf({ override }: WarnOrAupRule): number {
  if (override === undefined) return 0
  return override.type === 'passphrase' ? 255 : override.length
}

/** The first half of the URL's SHA-256. */
export function digestOf({ href }: Destination): string {
  return hash('sha256', href, 'buffer').subarray(0, DIGEST_BYTES).toString('base64url')
}

/** @returns at most 446 characters of base64url */
export function sealToken(key: KeyObject, context: TokenContext, token: AckToken): string {
  const { user = '', client } = token.identity
  const plaintext = Buffer.alloc(HEAD_BYTES + client.address.length + Buffer.byteLength(user))
  plaintext.writeUInt32BE(token.expiresAt, 0)
  plaintext.writeUInt8(token.codeFormat, 4)
  plaintext.write(token.digest, 5, 'base64url')
  plaintext.writeUInt8(client.address.length, HEAD_BYTES - 1)
  plaintext.write(client.address + user, HEAD_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, ivOf(context), { authTagLength: TAG_BYTES })
  cipher.setAAD(additionalData(context))
  return Buffer.concat([Buffer.of(VERSION), cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

/** @returns undefined unless one of the keys sealed this token for this context */
export function openToken(keys: readonly KeyObject[], context: TokenContext, text: string): AckToken | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes[0] !== VERSION || bytes.length < 1 + HEAD_BYTES + TAG_BYTES) return undefined
  for (const key of keys) {
    const decipher = createDecipheriv('aes-256-gcm', key, ivOf(context), { authTagLength: TAG_BYTES })
    decipher.setAAD(additionalData(context))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const plaintext = decipher.update(bytes.subarray(1, -TAG_BYTES))
    try {
      decipher.final()
    } catch {
      continue
    }
    return parseToken(plaintext)
  }
  return undefined
}

function parseToken(plaintext: Buffer): AckToken | undefined {
  const userAt = HEAD_BYTES + plaintext.readUInt8(HEAD_BYTES - 1)
  const client = parseClient(plaintext.toString('latin1', HEAD_BYTES, userAt))
  if (client === undefined) return undefined
  const user = plaintext.toString('utf8', userAt)
  return {
    identity: { user: user === '' ? undefined : user, client },
    expiresAt: plaintext.readUInt32BE(0),
    codeFormat: plaintext.readUInt8(4),
    digest: plaintext.toString('base64url', 5, 5 + DIGEST_BYTES),
  }
}

/** The verdict's id is as random as an initialisation vector has to be. */
function ivOf({ reference }: TokenContext): Buffer {
  return Buffer.from(reference, 'base64url').subarray(0, IV_BYTES)
}

function additionalData({ reference, kind, ruleName, destination: { scheme, host } }: TokenContext): Buffer {
  return Buffer.from(`gateway-engine/ack-token/v1\n${reference}\n${kind}\n${scheme}${host}\n${ruleName}`)
}
