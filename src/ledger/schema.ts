// The ledger's tables, as the migrations make them. Times are ISO 8601 text in UTC with milliseconds: the same in both
// dialects, sorted by comparing, and legible to an auditor who has nothing but an SQL prompt.
import type { AcceptanceState } from './state.ts'

export interface LedgerTables {
  acceptance: AcceptanceTable
  attempt: AttemptTable
  document: DocumentTable
}

interface AcceptanceTable {
  /** UUIDv7. */
  id: string
  /** The verdict's id; one acceptance each. */
  jti: string
  rule_name: string
  policy_version: string
  /** Hexadecimal; the text is in `document`, unless it was lost with an earlier database. */
  document_sha256: string
  document_source: 'shown' | 'assumed'
  locale: string
  state: AcceptanceState
  requested_at: string
  /** When the attempt that decided was answered; null while pending. */
  decided_at: string | null
  /** Of the attempt that decided; null while pending. */
  engine_status: number | null
  /** How many there are. */
  attempts: number
  portal_version: string
  client_address: string | null
}

interface AttemptTable {
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
