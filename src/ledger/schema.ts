// The ledger's tables, as the migrations create them. Times are ISO 8601 text in UTC with milliseconds: the same in both
// dialects, sortable as text, and readable at an SQL prompt.
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

/** What an attempt's visitor was shown, and the client's address. The acceptance has those of its deciding attempt. */
interface ShownColumns {
  policy_version: string
  /** Hexadecimal; the key of the text in `document`. */
  document_sha256: string
  document_source: 'shown' | 'assumed'
  locale: string
  /** Null unless the operator has it recorded. */
  client_address: string | null
}

interface AcceptanceTable extends ShownColumns {
  /** UUIDv7. */
  id: string
  /** The verdict's id; unique. */
  jti: string
  rule_name: string
  state: AcceptanceState
  requested_at: string
  /** `answered_at` of the deciding attempt; null while pending. */
  decided_at: string | null
  /** Of the deciding attempt; null while pending. */
  engine_status: number | null
  /** Their number. */
  attempts: number
  portal_version: string
}

interface AttemptTable extends ShownColumns {
  /** UUIDv7. */
  id: string
  jti: string
  asked_at: string
  /** Null without a response: the engine sent none, or the portal stopped before it arrived. */
  answered_at: string | null
  /** Null without a response, and for a malformed one. */
  engine_status: number | null
}

interface DocumentTable {
  sha256: string
  text: string
  media_type: string
  locale: string
  kept_at: string
}

/** The columns of an acceptance, in the order of protocol v1, section 3. */
export const ACCEPTANCE_COLUMNS = [
  'id',
  'jti',
  'rule_name',
  'policy_version',
  'document_sha256',
  'locale',
  'document_source',
  'state',
  'requested_at',
  'decided_at',
  'engine_status',
  'attempts',
  'portal_version',
  'client_address',
] as const satisfies readonly (keyof LedgerTables['acceptance'])[]

/** Without the verdict's id. The order of columns in exports: a new one is appended. */
export const ATTEMPT_COLUMNS = [
  'id',
  'asked_at',
  'answered_at',
  'engine_status',
  'policy_version',
  'document_sha256',
  'locale',
  'document_source',
  'client_address',
] as const satisfies readonly (keyof LedgerTables['attempt'])[]
