// Makes claims fit into a verdict URL: shortens them step by step, and pads them.
import { MAXIMUM_PLAINTEXT_BYTES } from './payload.ts'
import type { VerdictClaims } from './verdict.ts'

const MAXIMUM_DESTINATION_BYTES = 3000
const PADDING_STEP = 256

/**
 * The claims with a destination of at most 3,000 bytes and without credentials, then step by step shorter: without the
 * descriptions in other languages, with only the destination's origin, without a description. The token stays.
 * @throws {TypeError} when the destination is not an absolute URL
 */
export function* shorterClaims({ pad: _, ...claims }: VerdictClaims): Generator<VerdictClaims> {
  let shorter = shortenDestination({ ...claims, destination: withoutCredentials(claims.destination) })
  yield shorter
  for (const shorten of [withoutTranslations, toOrigin, withoutDescription]) {
    shorter = shorten(shorter)
    yield shorter
  }
}

function withoutCredentials(destination: string): string {
  const url = new URL(destination)
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  return url.href
}

/** Without query and fragment; if that is still too long, without a path. */
function shortenDestination(claims: VerdictClaims): VerdictClaims {
  if (Buffer.byteLength(claims.destination) <= MAXIMUM_DESTINATION_BYTES) return claims
  const url = new URL(claims.destination)
  url.hash = ''
  url.search = ''
  if (Buffer.byteLength(url.href) > MAXIMUM_DESTINATION_BYTES) return toOrigin(claims)
  return { ...claims, destination: url.href, shortened: true }
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
export function padded(json: string): string {
  const empty = Buffer.byteLength(json) + ',"pad":""'.length
  const wanted = Math.ceil(empty / PADDING_STEP) * PADDING_STEP
  return wanted > MAXIMUM_PLAINTEXT_BYTES ? json : `${json.slice(0, -1)},"pad":"${' '.repeat(wanted - empty)}"}`
}
