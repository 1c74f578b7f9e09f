// The engine's redirect to a verdict page: shortens, pads and seals the claims, and builds the three parameters.
import { MAXIMUM_PLAINTEXT_BYTES } from './open.ts'
import { sealPayload } from './seal.ts'
import type { PayloadKey } from './secret.ts'
import { VERDICT_PATH, type VerdictClaims } from './verdict.ts'

const MAXIMUM_URL_BYTES = 7500
const MAXIMUM_DESTINATION_BYTES = 3000
const PADDING_STEP = 256

/**
 * Builds `{baseUrl}/blocked?p&v&ts` and its siblings. Claims that do not fit are shortened: first the destination's query
 * and path, then the description; never the token. Credentials in the destination are removed.
 * @throws {TypeError} when the destination is not an absolute URL
 * @throws {RangeError} when the claims do not fit even then
 */
export function buildVerdictUrl(claims: VerdictClaims, baseUrl: string, key: PayloadKey): string {
  const destination = new URL(claims.destination)
  destination.username = ''
  destination.password = ''
  const fitted = shortenDestination({ ...claims, destination: destination.href }, MAXIMUM_DESTINATION_BYTES)
  for (const candidate of [fitted, toOrigin(fitted), withoutDescription(toOrigin(fitted))]) {
    if (jsonBytes(candidate) > MAXIMUM_PLAINTEXT_BYTES) continue
    const url = `${baseUrl}${VERDICT_PATH[claims.kind]}?p=${sealPayload(pad(candidate), key)}&v=${claims.v}&ts=${claims.ts}`
    if (Buffer.byteLength(url) < MAXIMUM_URL_BYTES) return url
  }
  throw new RangeError('the verdict does not fit into a redirect URL')
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

function withoutDescription(claims: VerdictClaims): VerdictClaims {
  return { ...claims, rule_description: '' }
}

/** Fills the plaintext up to the next multiple of 256 bytes, so that the payload's length reveals little. */
function pad(claims: VerdictClaims): VerdictClaims {
  const { pad: _, ...rest } = claims
  const empty = jsonBytes({ ...rest, pad: '' })
  const wanted = Math.ceil(empty / PADDING_STEP) * PADDING_STEP
  return wanted > MAXIMUM_PLAINTEXT_BYTES ? rest : { ...rest, pad: ' '.repeat(wanted - empty) }
}

function jsonBytes(claims: VerdictClaims): number {
  return Buffer.byteLength(JSON.stringify(claims))
}
