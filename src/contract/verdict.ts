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
  /** When the rule's schedule ends and the same request is allowed: Unix seconds, at most 36 hours after `ts`. */
  opens_at?: number
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
  /** When the same request will be allowed, in Unix seconds, if the engine knows. */
  readonly opensAt: number | undefined
}

/** A language and its subtags (RFC 5646). */
const LOCALE_TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/
const MAXIMUM_TAG_CHARACTERS = 35
const MINIMUM_SESSION_SECONDS = 60
const MAXIMUM_SESSION_SECONDS = 31 * 24 * 3600
export const MAXIMUM_OPENS_SECONDS = 36 * 3600

const NO_DESCRIPTIONS: ReadonlyMap<string, string> = new Map()

type ParsedClaims =
  | { readonly verdict: Verdict; readonly refusal?: undefined }
  /** With the name of a claim that breaks a rule, or `claims`. */
  | { readonly verdict?: undefined; readonly refusal: `claim ${string}` }

/** Checks the JSON of a payload. Unknown members are ignored. */
export function parseClaims(json: unknown): ParsedClaims {
  if (!isObject(json)) return invalid('claims')
  const { v, ts, kind, jti, shortened = false, ack_token: ackToken, category } = json
  const { rule_name: ruleName, rule_description: ruleDescription } = json
  if (v !== PROTOCOL_VERSION) return invalid('v')
  if (!isInteger(ts, 0, Number.MAX_SAFE_INTEGER)) return invalid('ts')
  if (kind !== 'block' && kind !== 'warn' && kind !== 'aup') return invalid('kind')
  if (typeof jti !== 'string' || !REFERENCE.test(jti)) return invalid('jti')
  const destination = isText(json.destination, 1, 3000) ? parseDestination(json.destination.toWellFormed()) : undefined
  if (destination === undefined) return invalid('destination')
  if (typeof shortened !== 'boolean') return invalid('shortened')
  if (ackToken !== undefined && (kind === 'block' || !isText(ackToken, 16, 512))) return invalid('ack_token')
  if (json.pad !== undefined && typeof json.pad !== 'string') return invalid('pad')
  if (!isText(ruleName, 1, 128)) return invalid('rule_name')
  if (!isText(ruleDescription, 0, 1024)) return invalid('rule_description')
  const ruleDescriptions =
    json.rule_descriptions === undefined ? NO_DESCRIPTIONS : parseDescriptions(json.rule_descriptions)
  if (ruleDescriptions === undefined) return invalid('rule_descriptions')
  if (category !== undefined && !isText(category, 0, 128)) return invalid('category')
  const override = json.override === undefined ? undefined : parseOverride(json.override)
  if (override === undefined ? json.override !== undefined : ackToken === undefined) return invalid('override')
  const sessionSeconds = json.session_seconds
  if (sessionSeconds !== undefined && !isInteger(sessionSeconds, MINIMUM_SESSION_SECONDS, MAXIMUM_SESSION_SECONDS)) {
    return invalid('session_seconds')
  }
  const opensAt = json.opens_at
  if (opensAt !== undefined && !isInteger(opensAt, ts, ts + MAXIMUM_OPENS_SECONDS)) return invalid('opens_at')
  const verdict: Verdict = {
    kind,
    reference: jti,
    issuedAt: ts,
    destination,
    shortened,
    ruleName: ruleName.toWellFormed(),
    ruleDescription: ruleDescription.toWellFormed(),
    ruleDescriptions,
    category: category?.toWellFormed(),
    ackToken: ackToken?.toWellFormed(),
    override,
    sessionSeconds,
    opensAt,
  }
  return { verdict }
}

function invalid(claim: string): ParsedClaims {
  return { refusal: `claim ${claim}` }
}

/** Undefined for anything but texts by language tag. */
function parseDescriptions(json: unknown): ReadonlyMap<string, string> | undefined {
  if (!isObject(json)) return undefined
  const descriptions = new Map<string, string>()
  for (const [name, description] of Object.entries(json)) {
    const tag = name.toLowerCase()
    if (name.length > MAXIMUM_TAG_CHARACTERS || !LOCALE_TAG.test(tag)) return undefined
    // With two spellings of one tag, it would be ambiguous which text applies.
    if (descriptions.has(tag) || !isText(description, 0, 1024)) return undefined
    descriptions.set(tag, description.toWellFormed())
  }
  return descriptions
}

function parseOverride(json: unknown): OverrideCode | undefined {
  if (!isObject(json)) return undefined
  const { type, length, prompt } = json
  if (prompt !== undefined && !isText(prompt, 0, 80)) return undefined
  const label = prompt?.toWellFormed()
  if (type === 'passphrase' && length === undefined) return { type, prompt: label }
  const digits = length === undefined ? 6 : length
  return type === 'pin' && isInteger(digits, 4, 12) ? { type, length: digits, prompt: label } : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

/** The limits are in bytes of UTF-8. */
function isText(value: unknown, least: number, most: number): value is string {
  if (typeof value !== 'string') return false
  // At most three bytes per UTF-16 unit: most values need no count.
  const bytes = value.length * 3 <= most ? value.length : Buffer.byteLength(value)
  return bytes >= least && bytes <= most
}
