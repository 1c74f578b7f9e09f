// The ledger's tables, as the migrations create them. Times are ISO 8601 text in UTC with milliseconds: the same in both
// dialects, sortable as text, and readable at an SQL prompt.
import type { Selectable } from 'kysely'
import type { AcceptanceState } from './state.ts'

export interface LedgerTables {
  acceptance: AcceptanceTable
  attempt: AttemptTable
  document: DocumentTable
  ledger_head: HeadTable
  ledger_leaf: LeafTable
  ledger_entry: EntryTable
}

export type AcceptanceRecord = Selectable<AcceptanceTable>
/** Without the verdict's id, which the acceptance has. */
export type AttemptRecord = Omit<Selectable<AttemptTable>, 'jti'>
export type DocumentRecord = Selectable<DocumentTable>
export type HeadRecord = Selectable<HeadTable>
export type LeafRecord = Selectable<LeafTable>
export type EntryRecord = Selectable<EntryTable>

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

/** A signed tree head: what a portal appends every hour. Heads are never changed or deleted. */
interface HeadTable {
  /** Of one process: UUIDv7, made at its start. Each has its own chain. */
  portal: string
  /** From 1 on. */
  number: number
  at: string
  /** What was completed before this is covered by this head or an earlier one; null while a first run is not finished. */
  until: string | null
  /** Number of leaves. */
  size: number
  /** Hexadecimal: the Merkle tree hash of the leaves. */
  root: string
  /** Hexadecimal: the hash of the head before; the first one's is the newest head in the ledger, null if there is none. */
  previous: string | null
  /** Ed25519, base64url. */
  key: string
  signature: string
}

/** A leaf of a head's tree: of an attempt, or of an entry. */
interface LeafTable {
  /** Of the head; the entry's id if a copy added the leaf. */
  portal: string
  /** The head's number; 0 if a copy added the leaf. */
  head: number
  /** From 0 on. */
  position: number
  /** Hexadecimal. It stays when the attempt is deleted. */
  hash: string
  /** Null once the attempt has been deleted. */
  attempt_id: string | null
  /** The entry whose leaf it is. */
  entry_id: string | null
  /** Hexadecimal; deleted with the attempt. */
  salt: string | null
  /** JSON of the acceptance's columns in the hash, if a merge has replaced that acceptance by an earlier one. */
  before_merge: string | null
}

/** What changed acceptances other than an acknowledgement; part of the next head. */
interface EntryTable {
  /** UUIDv7. */
  id: string
  at: string
  /** `prune` deleted old acceptances, `erasure` those of somebody, `copy` added attempts without a leaf. */
  kind: 'prune' | 'erasure' | 'copy'
  /** With `prune`: the limit of `requested_at`. */
  before: string | null
  /** How many were deleted or added. */
  acceptances: number
  attempts: number
  /** JSON of the deleted attempts' leaves: lists of portal, head and ranges of positions. */
  leaves: string
  /** With `copy`: the Merkle tree hash of its leaves. */
  root: string | null
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

export const LEAF_COLUMNS = [
  'portal',
  'head',
  'position',
  'hash',
  'attempt_id',
  'entry_id',
  'salt',
  'before_merge',
] as const satisfies readonly (keyof LedgerTables['ledger_leaf'])[]
