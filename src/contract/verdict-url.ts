// The verdict URL, from both ends (protocol v1, section 1): the engine seals a verdict into it; the portal's pages, the
// acknowledgement and the engine redeem it.
import { padded, shorterClaims } from './fit-claims.ts'
import { MAXIMUM_PLAINTEXT_BYTES, openPayload, sealPayload } from './payload.ts'
import type { Keyring, PayloadKey } from './secret.ts'
import { PROTOCOL_VERSION, parseClaims, VERDICT_PATH, type Verdict, type VerdictClaims } from './verdict.ts'

/** The engine's URLs are shorter; the portal refuses longer targets. */
export const MAXIMUM_VERDICT_URL_BYTES = 7500
/** After the replay window, a policy that was shown can be read, and any verdict acknowledged, for this long (section 2). */
const READING_SECONDS = 15 * 60
const MAXIMUM_CLOCK_AHEAD_SECONDS = 60

export interface VerdictUrl {
  readonly url: string
  /** Whether the payload lacks a part of the destination. */
  readonly shortened: boolean
}

/**
 * Builds `{baseUrl}/blocked?p&v&ts` and its siblings. Claims that do not fit are shortened, and the destination loses its
 * credentials.
 * @throws {TypeError} when the destination is not an absolute URL
 * @throws {RangeError} when the claims do not fit even then
 */
export function seal(claims: VerdictClaims, baseUrl: string, key: PayloadKey): VerdictUrl {
  for (const candidate of shorterClaims(claims)) {
    const json = JSON.stringify(candidate)
    if (Buffer.byteLength(json) > MAXIMUM_PLAINTEXT_BYTES) continue
    const query = `p=${sealPayload(padded(json), key)}&v=${claims.v}&ts=${claims.ts}`
    const url = `${baseUrl}${VERDICT_PATH[claims.kind]}?${query}`
    if (Buffer.byteLength(url) < MAXIMUM_VERDICT_URL_BYTES) return { url, shortened: candidate.shortened === true }
  }
  throw new RangeError('the verdict does not fit into a redirect URL')
}

/** Why a verdict URL is refused: stable codes for logs and metrics, never for the visitor. */
export const REFUSALS = [
  'query',
  'version',
  'form',
  'header',
  'key',
  'tag',
  'not JSON',
  'claim',
  'ts mismatch',
] as const
/** `claim` with the name of the claim. */
export type Refusal = Exclude<(typeof REFUSALS)[number], 'claim'> | `claim ${string}`

/** `late`: after the replay window, within the reading time. */
export type VerdictAge = 'future' | 'fresh' | 'late' | 'expired'

export type Redeemed =
  | {
      readonly verdict: Verdict
      readonly query: VerdictQuery
      /** Pages and acknowledgements accept different ages. */
      readonly age: VerdictAge
      readonly refusal?: undefined
    }
  | { readonly verdict?: undefined; readonly query?: undefined; readonly age?: undefined; readonly refusal: Refusal }

interface RedeemOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The replay window. */
  readonly maxAgeSeconds: number
}

/**
 * Checks the query of a verdict URL, opens its payload and classifies its age. Never throws.
 * @param text without the question mark
 */
export function redeem(text: string, keyring: Keyring, options: RedeemOptions): Redeemed {
  const { query, refusal: malformed } = parseVerdictQuery(text)
  if (malformed !== undefined) return { refusal: malformed }
  const opened = openPayload(query.p, keyring)
  if (opened.refusal !== undefined) return { refusal: opened.refusal }
  const { verdict, refusal: invalid } = parseClaims(opened.json)
  if (invalid !== undefined) return { refusal: invalid }
  // `v` has been checked on both sides.
  if (verdict.issuedAt !== query.ts) return { refusal: 'ts mismatch' }
  return { verdict, query, age: ageOf(verdict, options) }
}

function ageOf({ issuedAt }: Verdict, { now, maxAgeSeconds }: RedeemOptions): VerdictAge {
  const age = Math.floor(now / 1000) - issuedAt
  if (age < -Math.min(MAXIMUM_CLOCK_AHEAD_SECONDS, maxAgeSeconds)) return 'future'
  if (age <= maxAgeSeconds) return 'fresh'
  return age <= maxAgeSeconds + READING_SECONDS ? 'late' : 'expired'
}

/** The raw parameters; `ts` in Unix seconds. `v` is a supported version. */
export interface VerdictQuery {
  readonly p: string
  readonly ts: number
  /** The three parameters in the order p, v, ts, byte for byte as received. */
  readonly text: string
}

type ParsedQuery =
  | { readonly query: VerdictQuery; readonly refusal?: undefined }
  | { readonly query?: undefined; readonly refusal: 'query' | 'version' }

const VERSION = /^[1-9][0-9]*$/
const SECONDS = /^[1-9][0-9]{9}$/

/** Accepts exactly `p`, `v` and `ts`, once each and in any order. Nothing is decoded: the portal forwards them byte for byte. */
export function parseVerdictQuery(text: string): ParsedQuery {
  let p: string | undefined
  let v: string | undefined
  let ts: string | undefined
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (p === undefined && text.startsWith('p=', start)) p = text.slice(start + 2, end)
    else if (v === undefined && text.startsWith('v=', start)) v = text.slice(start + 2, end)
    else if (ts === undefined && text.startsWith('ts=', start)) ts = text.slice(start + 3, end)
    else return { refusal: 'query' }
    start = end + 1
  }
  if (!p || v === undefined || ts === undefined || !VERSION.test(v) || !SECONDS.test(ts)) return { refusal: 'query' }
  if (v !== String(PROTOCOL_VERSION)) return { refusal: 'version' }
  return { query: { p, ts: Number(ts), text: `p=${p}&v=${v}&ts=${ts}` } }
}
