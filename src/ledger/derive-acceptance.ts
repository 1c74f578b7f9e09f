// Derives an acceptance from its attempts (protocol v1, section 3). Recording and merging share this rule.
import type { AcceptanceRecord, AttemptRecord } from './schema.ts'
import { deriveState } from './state.ts'

/** What was shown, and the client's address; empty in attempts of versions before 2026.48. */
export const SHOWN_COLUMNS = [
  'policy_version',
  'document_sha256',
  'locale',
  'document_source',
  'client_address',
] as const satisfies readonly (keyof AcceptanceRecord & keyof AttemptRecord)[]

/** All that an acceptance derives from its attempts except their number. */
export const DERIVED_COLUMNS = [...SHOWN_COLUMNS, 'state', 'decided_at', 'engine_status'] as const

type Shown = Pick<AcceptanceRecord, (typeof SHOWN_COLUMNS)[number]>

function shownColumnsOf(attempt: AttemptRecord): Shown | undefined {
  const { policy_version, document_sha256, locale, document_source, client_address } = attempt
  if (policy_version === null || document_sha256 === null || locale === null || document_source === null)
    return undefined
  return { policy_version, document_sha256, locale, document_source, client_address }
}

export const hasShownColumns = (attempt: AttemptRecord): boolean => shownColumnsOf(attempt) !== undefined

/**
 * Updates the acceptance from all of its attempts. If the deciding attempt has no shown columns, they come from the first
 * attempt that has them, as in versions before 2026.48.
 */
export function deriveAcceptance<T extends AcceptanceRecord>(acceptance: T, attempts: readonly AttemptRecord[]): T {
  const state = deriveState(attempts.map(({ engine_status }) => engine_status))
  // Accepted is final, even if the deciding attempt has been removed.
  if (acceptance.state === 'accepted' && state !== 'accepted') return acceptance
  const asked = sortedBy(attempts, 'asked_at')
  const deciding =
    state === 'accepted'
      ? sortedBy(attempts, 'answered_at').find(({ engine_status }) => engine_status === 302)
      : asked.at(-1)
  const shown = (deciding && shownColumnsOf(deciding)) ?? asked.map(shownColumnsOf).find((one) => one !== undefined)
  const { answered_at = null, engine_status = null } = state === 'pending' ? {} : (deciding ?? {})
  return { ...acceptance, ...shown, state, decided_at: answered_at, engine_status }
}

/**
 * Versions before 2026.48 store the shown columns in the acceptance only, and they belong to its first attempt.
 * @returns the attempts, the first one with these columns if none has any
 */
export function carryOver(acceptance: AcceptanceRecord, attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  if (attempts.some(hasShownColumns)) return attempts
  const first = sortedBy(attempts, 'asked_at').find(({ asked_at }) => asked_at === acceptance.requested_at)
  return attempts.map((attempt) => (attempt === first ? { ...attempt, ...pick(acceptance, SHOWN_COLUMNS) } : attempt))
}

/** Earliest first, then by id. */
export function sortedBy(attempts: readonly AttemptRecord[], by: 'asked_at' | 'answered_at'): readonly AttemptRecord[] {
  return attempts.toSorted((a, b) => compare(`${a[by]}`, `${b[by]}`) || compare(a.id, b.id))
}

export function pick<T, Column extends keyof T>(record: T, columns: readonly Column[]): Pick<T, Column> {
  return Object.fromEntries(columns.map((column) => [column, record[column]])) as Pick<T, Column>
}

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
