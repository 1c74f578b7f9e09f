// Payloads for tests: the vectors' secrets, and default claims that a test can change.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sealPayload } from '../../src/contract/payload.ts'
import { deriveKeyring, type PayloadKey } from '../../src/contract/secret.ts'
import { VERDICT_PATH, type Verdict, type VerdictClaims } from '../../src/contract/verdict.ts'
import { redeem } from '../../src/contract/verdict-url.ts'

export interface Vector {
  readonly name: string
  readonly secret: string
  readonly p: string
  readonly v: string
  readonly ts: string
  readonly path: string
}

export const vectors = JSON.parse(readFileSync(new URL('../contract/payload-v1.json', import.meta.url), 'utf8')) as {
  readonly secrets: readonly { secret: string; key_hex: string; kid: string }[]
  readonly good: readonly (Vector & { claims: VerdictClaims })[]
  readonly bad: readonly (Vector & { status: number })[]
}

export const SESSION_KEY = 'kP3-session-key-for-the-tests-0123456789'
export const SECRET = 'vector-secret-0123456789abcdef-0123456789'
export const keyring = deriveKeyring([SECRET])

/** Claims of a plain block verdict issued at `ts`, with the test's changes. */
export function claims(ts: number, changes: Partial<VerdictClaims> = {}): VerdictClaims {
  return {
    v: 1,
    ts,
    kind: 'block',
    jti: randomBytes(16).toString('base64url'),
    destination: 'https://news.example/today?id=7&x=y',
    rule_name: 'rule-example',
    rule_description: 'Because the policy says so.',
    category: 'news',
    ...changes,
  }
}

export const ACK_TOKEN = 'w_SxAXY0kt_b7a4qv8oxo6Waj91LG9C2'

/** The claims as they are, unpadded. */
export function payloadOf(claims: object, key: PayloadKey = keyring.sealing): string {
  return sealPayload(JSON.stringify(claims), key)
}

/** The query of a verdict URL that carries these claims. */
export function verdictQuery(claims: VerdictClaims): string {
  return `p=${payloadOf(claims)}&v=1&ts=${claims.ts}`
}

/** Path and query of the verdict page for these claims. */
export function verdictTarget(claims: VerdictClaims): string {
  return `${VERDICT_PATH[claims.kind]}?${verdictQuery(claims)}`
}

/** The verdict of such a URL; fails if it is refused. */
export function verdictOf(url: string): Verdict {
  const { verdict, refusal } = redeem(url.slice(url.indexOf('?') + 1), keyring, { now: Date.now(), maxAgeSeconds: 300 })
  assert.equal(refusal, undefined)
  return verdict as Verdict
}
