// What an acceptance takes from its attempts (protocol v1, section 3): the ledger that records them and the merging of two
// ledgers follow the same rule.
import type { AcceptanceRecord, AttemptRecord } from './schema.ts'
import { deriveState } from './state.ts'

/** What was shown and from where; an attempt has all of them, or is from a version before 2026.48 and has none. */
export const SHOWN_COLUMNS = [
  'policy_version',
  'document_sha256',
  'locale',
  'document_source',
  'client_address',
] as const satisfies readonly (keyof AcceptanceRecord & keyof AttemptRecord)[]

/** What an acceptance has of its attempts, but for how many there are. */
export const DERIVED_COLUMNS = [...SHOWN_COLUMNS, 'state', 'decided_at', 'engine_status'] as const

type Shown = Pick<AcceptanceRecord, (typeof SHOWN_COLUMNS)[number]>

/** Undefined where the attempt does not have it. */
function shownColumnsOf(attempt: AttemptRecord): Shown | undefined {
  const { policy_version, document_sha256, locale, document_source, client_address } = attempt
  if (policy_version === null || document_sha256 === null || locale === null || document_source === null)
    return undefined
  return { policy_version, document_sha256, locale, document_source, client_address }
}

export const hasShownColumns = (attempt: AttemptRecord): boolean => shownColumnsOf(attempt) !== undefined

/**
 * The acceptance as it follows from all of its attempts. Where the deciding attempt does not have what was shown, the
 * first attempt that does counts, as in versions before 2026.48.
 */
export function deriveAcceptance<T extends AcceptanceRecord>(acceptance: T, attempts: readonly AttemptRecord[]): T {
  const state = deriveState(attempts.map(({ engine_status }) => engine_status))
  // Accepted is for good, even where the attempt that decided was removed.
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
 * The attempts of an acceptance that a version before 2026.48 may have begun: while none of them has what was shown, the
 * acceptance has what the attempt that created it was shown.
 */
export function carryOver(
  acceptance: AcceptanceRecord,
  attempts: readonly AttemptRecord[],
): readonly AttemptRecord[] {
  if (attempts.some(hasShownColumns)) return attempts
  const first = sortedBy(attempts, 'asked_at').find(({ asked_at }) => asked_at === acceptance.requested_at)
  return attempts.map((attempt) => (attempt === first ? { ...attempt, ...pick(acceptance, SHOWN_COLUMNS) } : attempt))
}

/** The earliest first; of one moment, in the order of their ids. */
export function sortedBy(attempts: readonly AttemptRecord[], by: 'asked_at' | 'answered_at'): readonly AttemptRecord[] {
  return attempts.toSorted((a, b) => compare(`${a[by]}`, `${b[by]}`) || compare(a.id, b.id))
}

export function pick<T, Column extends keyof T>(record: T, columns: readonly Column[]): Pick<T, Column> {
  return Object.fromEntries(columns.map((column) => [column, record[column]])) as Pick<T, Column>
}

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
