// The ledger's tables, as the migrations make them. Times are ISO 8601 text in UTC with milliseconds: the same in both
// dialects, sorted by comparing, and legible to an auditor who has nothing but an SQL prompt.
import type { Selectable } from 'kysely'
import type { AcceptanceState } from './state.ts'

export interface LedgerTables {
  acceptance: AcceptanceTable
  attempt: AttemptTable
  document: DocumentTable
}

export type AcceptanceRecord = Selectable<AcceptanceTable>
/** Without the verdict's id, which the acceptance has. */
export type AttemptRecord = Omit<Selectable<AttemptTable>, 'jti'>
export type DocumentRecord = Selectable<DocumentTable>

/** What an attempt's visitor was shown, and from where. The acceptance has those of its deciding attempt. */
interface ShownColumns {
  policy_version: string
  /** Hexadecimal; the text is in `document`, unless it was lost with an earlier database. */
  document_sha256: string
  document_source: 'shown' | 'assumed'
  locale: string
  /** Null unless the operator wants it kept. */
  client_address: string | null
}

interface AcceptanceTable extends ShownColumns {
  /** UUIDv7. */
  id: string
  /** The verdict's id; one acceptance each. */
  jti: string
  rule_name: string
  state: AcceptanceState
  requested_at: string
  /** When the deciding attempt was answered; null while pending. */
  decided_at: string | null
  /** Of the deciding attempt; null while pending. */
  engine_status: number | null
  /** How many there are. */
  attempts: number
  portal_version: string
}

/** Null is all of what was shown, or none of it: versions before 2026.48 kept it with the acceptance alone. */
type ShownOrNot = { [Column in keyof ShownColumns]: ShownColumns[Column] | null }

interface AttemptTable extends ShownOrNot {
  /** UUIDv7. */
  id: string
  jti: string
  asked_at: string
  /** Null while there is no answer; nothing tells an engine that was silent from a portal that died waiting. */
  answered_at: string | null
  /** Null without an answer, and for one that was broken. */
  engine_status: number | null
}

interface DocumentTable {
  sha256: string
  text: string
  media_type: string
  locale: string
  kept_at: string
}
