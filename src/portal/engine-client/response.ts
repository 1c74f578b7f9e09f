// Interprets the engine's response to an acknowledgement (table in protocol v1, section 2).
import { describeRejection } from './fault.ts'
import { endToEndHeaders, headerValues } from './hop-by-hop.ts'
import type { RawResponse } from './request.ts'

export type EngineResponse =
  /** The redirect to the original URL, ready to relay: end-to-end headers and body. */
  | {
      readonly kind: 'redirect'
      readonly status: 302
      readonly reasonPhrase: string
      readonly headers: readonly string[]
      readonly body: Buffer
    }
  | {
      readonly kind: 'codeRejected'
      readonly status: 403
      readonly problemType: string
      readonly attemptsRemaining: number | undefined
    }
  | { readonly kind: 'refused'; readonly status: 403 }
  /** `retryAfter` is in seconds. */
  | {
      readonly kind: 'lockedOut'
      readonly status: 429
      readonly retryAfter: number
      readonly problemType: string | undefined
    }
  | { readonly kind: 'expired'; readonly status: 410; readonly problemType: string | undefined }
  /** Any other 4xx: a misconfiguration that the operator has to fix. */
  | { readonly kind: 'rejected'; readonly status: number; readonly reason: string }
  /** No valid response; `status` if there was one. */
  | { readonly kind: 'broken'; readonly status: number | undefined; readonly reason: string }
  | { readonly kind: 'late'; readonly status: undefined }

const MAXIMUM_RETRY_SECONDS = 30 * 24 * 3600
const MAXIMUM_PROBLEM_TYPE = 256

export function interpretResponse(response: RawResponse): EngineResponse {
  const { status, rawHeaders } = response
  if (status === 302) return interpretRedirect(response)
  const { type: problemType, attemptsRemaining } = parseProblem(response)
  if (status === 403) {
    return problemType?.endsWith('/override-code-rejected')
      ? { kind: 'codeRejected', status, problemType, attemptsRemaining }
      : { kind: 'refused', status }
  }
  if (status === 410) return { kind: 'expired', status, problemType }
  const retryAfter = parseSeconds(headerValues(rawHeaders, 'retry-after'))
  if (status === 429 && retryAfter !== undefined) return { kind: 'lockedOut', status, retryAfter, problemType }
  if (status >= 400 && status < 500) return { kind: 'rejected', status, reason: describeRejection(status) }
  return { kind: 'broken', status, reason: `status ${status}` }
}

// Node's parser accepts control characters in it.
const REASON_PHRASE = /^[\t\x20-\x7e\x80-\xff]*$/

function interpretRedirect({ rawHeaders, reasonPhrase, body }: RawResponse): EngineResponse {
  const problem = REASON_PHRASE.test(reasonPhrase)
    ? locationProblem(headerValues(rawHeaders, 'location'))
    : 'control character in the reason phrase'
  // Without its status: an attempt with a 302 counts as accepted.
  if (problem !== undefined) return { kind: 'broken', status: undefined, reason: problem }
  return { kind: 'redirect', status: 302, reasonPhrase, headers: endToEndHeaders(rawHeaders), body }
}

const ABSOLUTE_TARGET = /^https?:\/\/[\x21-\x7e\x80-\xff]+$/i

function locationProblem(locations: readonly string[]): string | undefined {
  const [location, ...more] = locations
  if (location === undefined) return 'no Location'
  if (more.length > 0) return 'more than one Location'
  if (!ABSOLUTE_TARGET.test(location)) return 'Location is not an absolute http or https URL'
  return URL.canParse(Buffer.from(location, 'latin1').toString()) ? undefined : 'Location cannot be parsed'
}

function parseSeconds(values: readonly string[]): number | undefined {
  const [value, ...more] = values
  if (value === undefined || more.length > 0 || !/^[0-9]{1,9}$/.test(value)) return undefined
  return Math.min(Number(value), MAXIMUM_RETRY_SECONDS)
}

/** The members of a problem document (RFC 9457) that the portal uses; empty for any other body. */
function parseProblem({ rawHeaders, body }: RawResponse): {
  readonly type?: string | undefined
  readonly attemptsRemaining?: number | undefined
} {
  const [mediaType] = headerValues(rawHeaders, 'content-type')
  if (mediaType?.split(';')[0]?.trim().toLowerCase() !== 'application/problem+json') return {}
  const { type, attempts_remaining: left } = parseObject(body)
  return {
    type: typeof type === 'string' && type.length <= MAXIMUM_PROBLEM_TYPE ? type : undefined,
    attemptsRemaining: Number.isSafeInteger(left) && (left as number) >= 0 ? (left as number) : undefined,
  }
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(body.toString()))
  } catch {
    return {}
  }
}
