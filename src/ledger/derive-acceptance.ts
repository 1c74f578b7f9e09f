// Derives an acceptance from its attempts (protocol v1, section 3). Recording and merging share this rule.
import type { AcceptanceRecord, AttemptRecord } from './schema.ts'
import { deriveState } from './state.ts'

/** What was shown, and the client's address. */
export const SHOWN_COLUMNS = [
  'policy_version',
  'document_sha256',
  'locale',
  'document_source',
  'client_address',
] as const satisfies readonly (keyof AcceptanceRecord & keyof AttemptRecord)[]

/** All that an acceptance derives from its attempts except their number. */
export const DERIVED_COLUMNS = [...SHOWN_COLUMNS, 'state', 'decided_at', 'engine_status'] as const

/** Updates the acceptance from all of its attempts. */
export function deriveAcceptance<T extends AcceptanceRecord>(acceptance: T, attempts: readonly AttemptRecord[]): T {
  const state = deriveState(attempts.map(({ engine_status }) => engine_status))
  // Accepted is final, even if the deciding attempt has been removed.
  if (acceptance.state === 'accepted' && state !== 'accepted') return acceptance
  const deciding =
    state === 'accepted'
      ? sortedBy(attempts, 'answered_at').find(({ engine_status }) => engine_status === 302)
      : sortedBy(attempts, 'asked_at').at(-1)
  const { answered_at = null, engine_status = null } = state === 'pending' ? {} : (deciding ?? {})
  return {
    ...acceptance,
    ...(deciding && pick(deciding, SHOWN_COLUMNS)),
    state,
    decided_at: answered_at,
    engine_status,
  }
}

/** Earliest first, then by id. */
export function sortedBy(attempts: readonly AttemptRecord[], by: 'asked_at' | 'answered_at'): readonly AttemptRecord[] {
  return attempts.toSorted((a, b) => compare(`${a[by]}`, `${b[by]}`) || compare(a.id, b.id))
}

export function pick<T, Column extends keyof T>(record: T, columns: readonly Column[]): Pick<T, Column> {
  return Object.fromEntries(columns.map((column) => [column, record[column]])) as Pick<T, Column>
}

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
