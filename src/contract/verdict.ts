// A verdict on the wire (claims) and parsed: protocol v1, section 1.
import { type Destination, parseDestination } from './destination.ts'
import { REFERENCE } from './reference.ts'

export const PROTOCOL_VERSION = 1

export type VerdictKind = 'block' | 'warn' | 'aup'

/** The page of each kind of verdict: the path is the verdict. */
export const VERDICT_PATH = { block: '/blocked', warn: '/warned', aup: '/aup' } as const satisfies Record<
  VerdictKind,
  string
>

/** The code that a rule requires with the acknowledgement. `prompt` replaces the field's label, verbatim. */
export type OverrideCode =
  | { readonly type: 'pin'; readonly length: number; readonly prompt: string | undefined }
  | { readonly type: 'passphrase'; readonly prompt: string | undefined }

/** The claims inside a payload, as the engine writes them. Lengths are in bytes of UTF-8. */
export interface VerdictClaims {
  v: number
  /** Unix seconds. */
  ts: number
  kind: VerdictKind
  /** 128 random bits as 22 base64url characters. */
  jti: string
  destination: string
  shortened?: boolean
  rule_name: string
  rule_description: string
  category?: string
  ack_token?: string
  override?: { type: 'pin'; length?: number; prompt?: string } | { type: 'passphrase'; prompt?: string }
  /** `rule_description` in other languages, by locale tag. */
  rule_descriptions?: Record<string, string>
  /** How long an acknowledgement gives access, in seconds: 60 to 2,678,400. */
  session_seconds?: number
  pad?: string
}

/** Claims that passed every check. */
export interface Verdict {
  readonly kind: VerdictKind
  /** The verdict's id (`jti`), which joins the portal's log and ledger to the engine's. */
  readonly reference: string
  /** Unix seconds. */
  readonly issuedAt: number
  readonly destination: Destination
  /** Whether the engine shortened the destination to make it fit. */
  readonly shortened: boolean
  readonly ruleName: string
  /** May be empty. */
  readonly ruleDescription: string
  /** The description in other languages, by locale tag in lower case. */
  readonly ruleDescriptions: ReadonlyMap<string, string>
  readonly category: string | undefined
  readonly ackToken: string | undefined
  readonly override: OverrideCode | undefined
  /** How long an acknowledgement gives access; undefined if the engine does not send it. */
  readonly sessionSeconds: number | undefined
}

/** A claim that breaks a rule; `member` is its name, for the log only. */
export class InvalidClaims extends Error {
  readonly member: string
  constructor(member: string) {
    super(`claim ${member} violates the protocol`)
    this.member = member
  }
}

/** A language and its subtags (RFC 5646). */
const LOCALE_TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/
const MAXIMUM_TAG_CHARACTERS = 35
const MINIMUM_SESSION_SECONDS = 60
const MAXIMUM_SESSION_SECONDS = 31 * 24 * 3600

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * Checks the decoded JSON of a payload. Unknown members are ignored.
 * @throws {InvalidClaims}
 */
export function parseClaims(json: unknown): Verdict {
  const claims = object(json, 'claims')
  if (claims.v !== PROTOCOL_VERSION) throw new InvalidClaims('v')
  if (!Number.isSafeInteger(claims.ts) || (claims.ts as number) < 0) throw new InvalidClaims('ts')
  const kind = claims.kind
  if (kind !== 'block' && kind !== 'warn' && kind !== 'aup') throw new InvalidClaims('kind')
  const reference = claims.jti
  if (typeof reference !== 'string' || !REFERENCE.test(reference)) throw new InvalidClaims('jti')
  const destination = parseDestination(text(claims.destination, 'destination', 1, 3000))
  if (destination === undefined) throw new InvalidClaims('destination')
  const shortened = claims.shortened ?? false
  if (typeof shortened !== 'boolean' || claims.shortened === null) throw new InvalidClaims('shortened')
  const ackToken = optionalText(claims.ack_token, 'ack_token', 16, 512)
  if (ackToken !== undefined && kind === 'block') throw new InvalidClaims('ack_token')
  if (claims.override !== undefined && ackToken === undefined) throw new InvalidClaims('override')
  if (claims.pad !== undefined && typeof claims.pad !== 'string') throw new InvalidClaims('pad')
  return {
    kind,
    reference,
    issuedAt: claims.ts as number,
    destination,
    shortened,
    ruleName: text(claims.rule_name, 'rule_name', 1, 128),
    ruleDescription: text(claims.rule_description, 'rule_description', 0, 1024),
    ruleDescriptions: claims.rule_descriptions === undefined ? NONE : parseDescriptions(claims.rule_descriptions),
    category: optionalText(claims.category, 'category', 0, 128),
    ackToken,
    override: claims.override === undefined ? undefined : parseOverride(claims.override),
    sessionSeconds: claims.session_seconds === undefined ? undefined : parseSession(claims.session_seconds),
  }
}

function parseDescriptions(json: unknown): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>()
  for (const [name, description] of Object.entries(object(json, 'rule_descriptions'))) {
    const tag = name.toLowerCase()
    // With two spellings of one tag, it would be ambiguous which text applies.
    if (name.length > MAXIMUM_TAG_CHARACTERS || !LOCALE_TAG.test(tag) || descriptions.has(tag)) {
      throw new InvalidClaims('rule_descriptions')
    }
    descriptions.set(tag, text(description, 'rule_descriptions', 0, 1024))
  }
  return descriptions
}

function parseSession(seconds: unknown): number {
  if (!Number.isInteger(seconds)) throw new InvalidClaims('session_seconds')
  const session = seconds as number
  if (session < MINIMUM_SESSION_SECONDS || session > MAXIMUM_SESSION_SECONDS) throw new InvalidClaims('session_seconds')
  return session
}

function parseOverride(json: unknown): OverrideCode {
  const override = object(json, 'override')
  const prompt = optionalText(override.prompt, 'prompt', 0, 80)
  if (override.type === 'pin') {
    const length = override.length ?? 6
    if (override.length === null || !Number.isInteger(length)) throw new InvalidClaims('override')
    if ((length as number) < 4 || (length as number) > 12) throw new InvalidClaims('override')
    return { type: 'pin', length: length as number, prompt }
  }
  if (override.type !== 'passphrase' || override.length !== undefined) throw new InvalidClaims('override')
  return { type: 'passphrase', prompt }
}

function object(value: unknown, member: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidClaims(member)
  return value as Record<string, unknown>
}

function optionalText(value: unknown, member: string, least: number, most: number): string | undefined {
  return value === undefined ? undefined : text(value, member, least, most)
}

function text(value: unknown, member: string, least: number, most: number): string {
  if (typeof value !== 'string') throw new InvalidClaims(member)
  // At most three bytes per UTF-16 unit: most values need no count.
  const bytes = value.length * 3 <= most ? value.length : Buffer.byteLength(value)
  if (bytes < least || bytes > most) throw new InvalidClaims(member)
  return value.toWellFormed()
}
