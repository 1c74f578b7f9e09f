// The engine's redirect to a verdict page: shortens, pads and seals the claims, and builds the three parameters.
import { MAXIMUM_PLAINTEXT_BYTES } from './open.ts'
import { sealJson } from './seal.ts'
import type { PayloadKey } from './secret.ts'
import { VERDICT_PATH, type VerdictClaims } from './verdict.ts'

const MAXIMUM_URL_BYTES = 7500
const MAXIMUM_DESTINATION_BYTES = 3000
const PADDING_STEP = 256

export interface VerdictUrl {
  readonly url: string
  /** Whether the payload lacks a part of the destination. */
  readonly shortened: boolean
}

/**
 * Builds `{baseUrl}/blocked?p&v&ts` and its siblings. Claims that do not fit are shortened: first the descriptions in other
 * languages are left out, then the destination's query and path, then the description; never the token. Credentials in the
 * destination are removed.
 * @throws {TypeError} when the destination is not an absolute URL
 * @throws {RangeError} when the claims do not fit even then
 */
export function buildVerdictUrl(claims: VerdictClaims, baseUrl: string, key: PayloadKey): VerdictUrl {
  const destination = new URL(claims.destination)
  if (destination.username !== '') destination.username = ''
  if (destination.password !== '') destination.password = ''
  const { pad: _, ...given } = claims
  let candidate = shortenDestination({ ...given, destination: destination.href }, MAXIMUM_DESTINATION_BYTES)
  for (const shorten of [unchanged, withoutTranslations, toOrigin, withoutDescription]) {
    candidate = shorten(candidate)
    const json = JSON.stringify(candidate)
    if (Buffer.byteLength(json) > MAXIMUM_PLAINTEXT_BYTES) continue
    const url = `${baseUrl}${VERDICT_PATH[claims.kind]}?p=${sealJson(pad(json), key)}&v=${claims.v}&ts=${claims.ts}`
    if (Buffer.byteLength(url) < MAXIMUM_URL_BYTES) return { url, shortened: candidate.shortened === true }
  }
  throw new RangeError('the verdict does not fit into a redirect URL')
}

function unchanged(claims: VerdictClaims): VerdictClaims {
  return claims
}

function shortenDestination(claims: VerdictClaims, most: number): VerdictClaims {
  if (Buffer.byteLength(claims.destination) <= most) return claims
  const url = new URL(claims.destination)
  url.hash = ''
  url.search = ''
  return Buffer.byteLength(url.href) <= most ? { ...claims, destination: url.href, shortened: true } : toOrigin(claims)
}

function toOrigin(claims: VerdictClaims): VerdictClaims {
  const origin = `${new URL(claims.destination).origin}/`
  return origin === claims.destination ? claims : { ...claims, destination: origin, shortened: true }
}

function withoutTranslations({ rule_descriptions: _, ...claims }: VerdictClaims): VerdictClaims {
  return claims
}

function withoutDescription(claims: VerdictClaims): VerdictClaims {
  return { ...claims, rule_description: '' }
}

/** Adds a claim that fills the plaintext up to the next multiple of 256 bytes, so that the payload's length reveals little. */
function pad(json: string): string {
  const empty = Buffer.byteLength(json) + ',"pad":""'.length
  const wanted = Math.ceil(empty / PADDING_STEP) * PADDING_STEP
  return wanted > MAXIMUM_PLAINTEXT_BYTES ? json : `${json.slice(0, -1)},"pad":"${' '.repeat(wanted - empty)}"}`
}
