// The canonical form of an attempt, whose hash is a leaf. What may lead to a person enters as a salted commitment: with the
// salt deleted, the hash says nothing about it any more.
import { hash, randomBytes } from 'node:crypto'
import type { AcceptanceRecord, AttemptRecord, LeafRecord } from '../schema.ts'
import { leafHash } from './merkle.ts'

/** An attempt without an answer for this long is covered as it is, in milliseconds. */
export const OPEN_MS = 24 * 3_600_000
/** Clocks of replicas may differ, and a commit takes a moment: by this much a head may cover an attempt late, in milliseconds. */
export const LATE_MS = 10 * 60_000

/** The columns of an acceptance that never change, except where a merge finds an earlier acceptance of the verdict. */
interface AcceptanceColumns {
  readonly acceptance_id: string
  readonly rule_name: string
  readonly requested_at: string
  readonly portal_version: string
}

/** An attempt with its acceptance's columns: what a leaf covers. */
export interface CoveredAttempt extends AttemptRecord, AcceptanceColumns {
  readonly jti: string
}

/** For `select`, in a join of `acceptance` and `attempt`. */
export const COVERED_COLUMNS = [
  'attempt.id',
  'attempt.jti',
  'attempt.asked_at',
  'attempt.answered_at',
  'attempt.engine_status',
  'attempt.policy_version',
  'attempt.document_sha256',
  'attempt.locale',
  'attempt.document_source',
  'attempt.client_address',
  'acceptance.id as acceptance_id',
  'acceptance.rule_name',
  'acceptance.requested_at',
  'acceptance.portal_version',
] as const

export const newSalt = (): string => randomBytes(16).toString('hex')

/** @param salt of this leaf only */
export function attemptLeaf(attempt: CoveredAttempt, salt: string): string {
  const commitment = (column: 'jti' | 'client_address') =>
    hash('sha256', JSON.stringify([salt, column, attempt[column]]))
  return leafHash(
    JSON.stringify([
      'attempt-v1',
      attempt.id,
      attempt.asked_at,
      attempt.answered_at,
      attempt.engine_status,
      attempt.policy_version,
      attempt.document_sha256,
      attempt.locale,
      attempt.document_source,
      attempt.acceptance_id,
      attempt.rule_name,
      attempt.requested_at,
      attempt.portal_version,
      commitment('jti'),
      commitment('client_address'),
    ]),
  )
}

/** The attempt as it was before its answer. */
export const unanswered = (attempt: CoveredAttempt): CoveredAttempt => ({
  ...attempt,
  answered_at: null,
  engine_status: null,
})

/** When it could be covered at the earliest, in milliseconds since 1970. */
export function completedAt({ asked_at, answered_at }: Pick<AttemptRecord, 'asked_at' | 'answered_at'>): number {
  return answered_at === null ? Date.parse(asked_at) + OPEN_MS : Date.parse(answered_at)
}

/** What `before_merge` keeps of an acceptance. */
export function beforeMerge({ id, rule_name, requested_at, portal_version }: AcceptanceRecord): string {
  return JSON.stringify([id, rule_name, requested_at, portal_version])
}

/** The attempt with the acceptance's columns that its leaf was made with; unchanged if `before_merge` is empty or unusable. */
export function asCovered(attempt: CoveredAttempt, { before_merge }: Pick<LeafRecord, 'before_merge'>): CoveredAttempt {
  if (before_merge === null) return attempt
  try {
    const [acceptance_id, rule_name, requested_at, portal_version] = JSON.parse(before_merge)
    return { ...attempt, acceptance_id, rule_name, requested_at, portal_version }
  } catch {
    return attempt
  }
}
