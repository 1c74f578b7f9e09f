// The payload `p`, from both ends: a compact JWE (RFC 7516, `dir` with A256GCM). Everything is synchronous, and opening uses
// one buffer for all payloads, because it runs for every page.
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { takeRandomBytes } from './random-bytes.ts'
import type { Keyring, PayloadKey } from './secret.ts'

export const MAXIMUM_PLAINTEXT_BYTES = 4096
const MAXIMUM_PAYLOAD_CHARACTERS = 6144
const MAXIMUM_HEADER_CHARACTERS = 256
const IV_BYTES = 12
const TAG_BYTES = 16
const IV_CHARACTERS = 16
const TAG_CHARACTERS = 22

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const scratch = Buffer.alloc(MAXIMUM_PAYLOAD_CHARACTERS)
const ivBytes = scratch.subarray(0, IV_BYTES)
const tagBytes = scratch.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
const textBytes = scratch.subarray(IV_BYTES + TAG_BYTES)

/**
 * Seals a JSON text.
 * @throws {RangeError} when it has more than 4,096 bytes
 */
export function sealPayload(json: string, { key, header }: PayloadKey): string {
  const plaintext = Buffer.from(json)
  if (plaintext.length > MAXIMUM_PLAINTEXT_BYTES) {
    throw new RangeError(`claims have ${plaintext.length} bytes; at most ${MAXIMUM_PLAINTEXT_BYTES} are allowed`)
  }
  const iv = takeRandomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(header))
  // All of it: in GCM, `final` only computes the tag.
  const ciphertext = cipher.update(plaintext)
  cipher.final()
  const [initial, sealed, tag] = [iv, ciphertext, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))
  return `${header}..${initial}.${sealed}.${tag}`
}

type Opened =
  | { readonly json: unknown; readonly refusal?: undefined }
  | { readonly refusal: 'form' | 'header' | 'key' | 'tag' | 'not JSON' }

/** Opens a payload with the key that its header names. Never throws: every text is either JSON or refused. */
export function openPayload(p: string, keyring: Keyring): Opened {
  if (p.length > MAXIMUM_PAYLOAD_CHARACTERS) return { refusal: 'form' }
  const headerEnd = p.indexOf('.')
  const ivStart = headerEnd + 2
  const ivEnd = ivStart + IV_CHARACTERS
  const tagStart = p.length - TAG_CHARACTERS
  const hasFiveParts =
    headerEnd > 0 && p[headerEnd + 1] === '.' && p[ivEnd] === '.' && p[tagStart - 1] === '.' && tagStart - 1 > ivEnd
  if (!hasFiveParts) return { refusal: 'form' }

  const header = p.slice(0, headerEnd)
  const { key, refusal } = findKey(header, keyring)
  if (refusal !== undefined) return { refusal }

  if (!decodeCanonical(p.slice(ivStart, ivEnd), ivBytes)) return { refusal: 'form' }
  if (!decodeCanonical(p.slice(tagStart), tagBytes)) return { refusal: 'form' }
  const ciphertext = p.slice(ivEnd + 1, tagStart - 1)
  const length = Math.floor((ciphertext.length * 3) / 4)
  if (length > MAXIMUM_PLAINTEXT_BYTES) return { refusal: 'form' }
  const sealed = textBytes.subarray(0, length)
  if (!decodeCanonical(ciphertext, sealed)) return { refusal: 'form' }

  const decipher = createDecipheriv('aes-256-gcm', key.key, ivBytes, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(header, 'latin1'))
  decipher.setAuthTag(tagBytes)
  const plaintext = decipher.update(sealed)
  try {
    decipher.final()
  } catch {
    return { refusal: 'tag' }
  }
  try {
    return { json: JSON.parse(utf8.decode(plaintext)) }
  } catch {
    return { refusal: 'not JSON' }
  }
}

type FoundKey =
  | { readonly key: PayloadKey; readonly refusal?: undefined }
  | { readonly key?: undefined; readonly refusal: 'header' | 'key' }

function findKey(header: string, { opening }: Keyring): FoundKey {
  // Our engine's headers need no parsing; another engine may order the members differently.
  for (const key of opening.values()) if (key.header === header) return { key }
  const kid = parseHeader(header)
  if (kid === undefined) return { refusal: 'header' }
  const key = opening.get(kid)
  return key === undefined ? { refusal: 'key' } : { key }
}

/** The key id in a header; undefined unless it has exactly the three members of this protocol. */
function parseHeader(encoded: string): string | undefined {
  if (encoded.length > MAXIMUM_HEADER_CHARACTERS) return undefined
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.toString('base64url') !== encoded) return undefined
  let header: unknown
  try {
    header = JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return undefined
  const { alg, enc, kid } = header as Record<string, unknown>
  if (alg !== 'dir' || enc !== 'A256GCM' || Object.keys(header).length !== 3) return undefined
  return typeof kid === 'string' ? kid : undefined
}

/** Decodes base64url into exactly `target`; false unless re-encoding gives the same text. */
function decodeCanonical(encoded: string, target: Buffer): boolean {
  return target.write(encoded, 'base64url') === target.length && target.toString('base64url') === encoded
}
