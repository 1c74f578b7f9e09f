// The portal's half of the payload: opens `p` and returns a verdict, or the reason for the log.
// Everything is synchronous and shares one buffer, because it runs for every page.
import { createDecipheriv } from 'node:crypto'
import type { VerdictQuery } from './query.ts'
import type { Keyring, PayloadKey } from './secret.ts'
import { InvalidClaims, parseClaims, type Verdict } from './verdict.ts'

export const MAXIMUM_PAYLOAD_CHARACTERS = 6144
export const MAXIMUM_PLAINTEXT_BYTES = 4096

/** Why a payload did not open: for logs and metrics, never for the visitor. */
export type PayloadRefusal = 'form' | 'header' | 'key' | 'tag' | 'text' | 'other ts' | `claim ${string}`

interface KnownHeader {
  readonly key: PayloadKey
  readonly additionalData: Buffer
}

const IV_BYTES = 12
const TAG_BYTES = 16
const IV_CHARACTERS = 16
const TAG_CHARACTERS = 22
const MAXIMUM_HEADER_CHARACTERS = 256
const CACHED_HEADERS = 8

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const scratch = Buffer.alloc(MAXIMUM_PAYLOAD_CHARACTERS)
const ivBytes = scratch.subarray(0, IV_BYTES)
const tagBytes = scratch.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
const textBytes = scratch.subarray(IV_BYTES + TAG_BYTES)

/** Opens payloads with the keys of one keyring; caches the headers of authentic payloads. */
export class PayloadOpener {
  readonly #keyring: Keyring
  readonly #onUnknownKey: (kid: string) => void
  readonly #headers = new Map<string, KnownHeader>()

  /** @param onUnknownKey gets any text that a payload has as its key id */
  constructor(keyring: Keyring, onUnknownKey: (kid: string) => void = () => {}) {
    this.#keyring = keyring
    this.#onUnknownKey = onUnknownKey
  }

  /**
   * Opens `p` and compares its `ts` with the parameter (`v` has been checked on both sides).
   * Never throws: every input is either a verdict or a refusal.
   */
  open({ p, ts }: Pick<VerdictQuery, 'p' | 'ts'>): Verdict | PayloadRefusal {
    if (p.length > MAXIMUM_PAYLOAD_CHARACTERS) return 'form'
    const headerEnd = p.indexOf('.')
    const ivStart = headerEnd + 2
    const ivEnd = ivStart + IV_CHARACTERS
    const tagStart = p.length - TAG_CHARACTERS
    const hasFiveParts =
      headerEnd > 0 && p[headerEnd + 1] === '.' && p[ivEnd] === '.' && p[tagStart - 1] === '.' && tagStart - 1 > ivEnd
    if (!hasFiveParts) return 'form'

    const encodedHeader = p.slice(0, headerEnd)
    const header = this.#headers.get(encodedHeader) ?? this.#parseHeader(encodedHeader)
    if (typeof header === 'string') return header

    if (!decodeCanonical(p.slice(ivStart, ivEnd), ivBytes)) return 'form'
    if (!decodeCanonical(p.slice(tagStart), tagBytes)) return 'form'
    const ciphertext = p.slice(ivEnd + 1, tagStart - 1)
    const length = Math.floor((ciphertext.length * 3) / 4)
    if (length > MAXIMUM_PLAINTEXT_BYTES) return 'form'
    const sealed = textBytes.subarray(0, length)
    if (!decodeCanonical(ciphertext, sealed)) return 'form'

    const decipher = createDecipheriv('aes-256-gcm', header.key.key, ivBytes, { authTagLength: TAG_BYTES })
    decipher.setAAD(header.additionalData)
    decipher.setAuthTag(tagBytes)
    const plaintext = decipher.update(sealed)
    try {
      decipher.final()
    } catch {
      return 'tag'
    }
    this.#cache(encodedHeader, header)
    const verdict = parsePlaintext(plaintext)
    return typeof verdict === 'string' || verdict.issuedAt === ts ? verdict : 'other ts'
  }

  #parseHeader(encoded: string): KnownHeader | PayloadRefusal {
    if (encoded.length > MAXIMUM_HEADER_CHARACTERS) return 'header'
    const bytes = Buffer.from(encoded, 'base64url')
    if (bytes.toString('base64url') !== encoded) return 'header'
    let header: unknown
    try {
      header = JSON.parse(utf8.decode(bytes))
    } catch {
      return 'header'
    }
    if (typeof header !== 'object' || header === null || Array.isArray(header)) return 'header'
    const { alg, enc, kid } = header as Record<string, unknown>
    if (alg !== 'dir' || enc !== 'A256GCM' || Object.keys(header).length !== 3) return 'header'
    if (typeof kid !== 'string') return 'header'
    const key = this.#keyring.opening.get(kid)
    if (key !== undefined) return { key, additionalData: Buffer.from(encoded, 'latin1') }
    this.#onUnknownKey(kid)
    return 'key'
  }

  /** Only for headers of authentic payloads, so that others cannot fill the cache. */
  #cache(encoded: string, header: KnownHeader): void {
    if (this.#headers.size < CACHED_HEADERS) this.#headers.set(encoded, header)
  }
}

/** Decodes base64url into exactly `target`; false unless re-encoding gives the same text. */
function decodeCanonical(encoded: string, target: Buffer): boolean {
  return target.write(encoded, 'base64url') === target.length && target.toString('base64url') === encoded
}

function parsePlaintext(plaintext: Buffer): Verdict | PayloadRefusal {
  let json: unknown
  try {
    json = JSON.parse(utf8.decode(plaintext))
  } catch {
    return 'text'
  }
  try {
    return parseClaims(json)
  } catch (error) {
    if (error instanceof InvalidClaims) return `claim ${error.member}`
    throw error
  }
}
