// What the engine's answer to an acknowledgement means (the table of protocol v1, section 2).
import { endToEndHeaders, headerValues } from './hop-by-hop.ts'

/** An answer as it came: the status, the raw headers, and at most 64 KiB of body, never inflated. */
export interface RawAnswer {
  readonly status: number
  /** Name, value, name, value, …; each character is one byte. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

export type EngineAnswer =
  /** The engine's redirect to the original URL, fit to be relayed: end-to-end headers and body. */
  | { readonly kind: 'redirect'; readonly status: 302; readonly headers: readonly string[]; readonly body: Buffer }
  | {
      readonly kind: 'codeRejected'
      readonly status: 403
      readonly problemType: string
      readonly attemptsRemaining: number | undefined
    }
  | { readonly kind: 'refused'; readonly status: 403 }
  | { readonly kind: 'lockedOut'; readonly status: 429; readonly retryAfter: number }
  | { readonly kind: 'expired'; readonly status: 410 }
  /** A 4xx that says that something is set up wrongly: the operator's to mend. */
  | { readonly kind: 'rejected'; readonly status: number }
  /** Nothing that could be understood; `status` where there was one. */
  | { readonly kind: 'broken'; readonly status: number | undefined; readonly reason: string }
  | { readonly kind: 'late'; readonly status: undefined }

const MAXIMUM_RETRY_SECONDS = 30 * 24 * 3600
const MAXIMUM_PROBLEM_TYPE = 256

export function interpretAnswer({ status, rawHeaders, body }: RawAnswer): EngineAnswer {
  if (status === 302) {
    const problem = locationProblem(headerValues(rawHeaders, 'location'))
    // Not with its status: an attempt with a 302 counts as accepted.
    if (problem !== undefined) return { kind: 'broken', status: undefined, reason: problem }
    return { kind: 'redirect', status, headers: endToEndHeaders(rawHeaders), body }
  }
  if (status === 403) return interpretForbidden(rawHeaders, body)
  if (status === 410) return { kind: 'expired', status }
  const retryAfter = status === 429 ? parseSeconds(headerValues(rawHeaders, 'retry-after')) : undefined
  if (retryAfter !== undefined) return { kind: 'lockedOut', status: 429, retryAfter }
  if (status >= 400 && status < 500) return { kind: 'rejected', status }
  return { kind: 'broken', status, reason: `status ${status}` }
}

const ABSOLUTE_TARGET = /^https?:\/\/[\x21-\x7e\x80-\xff]+$/i

function locationProblem(locations: readonly string[]): string | undefined {
  const [location, ...more] = locations
  if (location === undefined) return 'no Location'
  if (more.length > 0) return 'more than one Location'
  if (!ABSOLUTE_TARGET.test(location)) return 'Location is no absolute http or https URL'
  return URL.canParse(Buffer.from(location, 'latin1').toString()) ? undefined : 'Location cannot be parsed'
}

function parseSeconds(values: readonly string[]): number | undefined {
  const [value, ...more] = values
  if (value === undefined || more.length > 0 || !/^[0-9]{1,9}$/.test(value)) return undefined
  return Math.min(Number(value), MAXIMUM_RETRY_SECONDS)
}

function interpretForbidden(rawHeaders: readonly string[], body: Buffer): EngineAnswer {
  const [type] = headerValues(rawHeaders, 'content-type')
  const problem = type?.split(';')[0]?.trim().toLowerCase() === 'application/problem+json' ? parseJson(body) : undefined
  const problemType = problem?.type
  if (typeof problemType !== 'string' || problemType.length > MAXIMUM_PROBLEM_TYPE)
    return { kind: 'refused', status: 403 }
  if (!problemType.endsWith('/override-code-rejected')) return { kind: 'refused', status: 403 }
  const left = problem?.attempts_remaining
  const attemptsRemaining = Number.isSafeInteger(left) && (left as number) >= 0 ? (left as number) : undefined
  return { kind: 'codeRejected', status: 403, problemType, attemptsRemaining }
}

function parseJson(body: Buffer): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(body.toString())
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
