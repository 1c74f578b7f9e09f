// The tables of the engine's state, as its migrations create them. Times are milliseconds since the Unix epoch by the
// database's clock. PostgreSQL returns 64-bit numbers as text.
import type { ColumnType, Generated } from 'kysely'
import type { Schema } from '../../database/migrating.ts'
import { migrations } from './migrations.ts'

type Milliseconds = ColumnType<number | string, number, number>

export interface StateTables {
  engine_session: SessionTable
  engine_attempt: AttemptTable
  engine_redemption: RedemptionTable
  engine_permission: PermissionTable
  engine_scoped_permission: ScopedPermissionTable
  engine_presence: PresenceTable
  engine_switch: SwitchTable
  engine_lesson_code: LessonCodeTable
  engine_url: UrlTable
  engine_event: EventTable
  engine_revision: RevisionTable
}

interface SessionTable {
  /** `user NAME` or `client ADDRESS`. */
  holder: string
  rule_name: string
  /** Of the client that the verdict was issued for. */
  client_address: string
  /** The verdict's id. */
  reference: string
  started_at: Milliseconds
  /** Negative for a session that was ended: minus the time of that, so that it has ended even if the clock is set back. */
  expires_at: Milliseconds
  /** At which it was ended; 0 otherwise. */
  revision: Generated<number | string>
  /** The id of the lesson code that opened it; null without one. */
  lesson_code: string | null
}

interface AttemptTable {
  /** `user NAME` or `client NETWORK`. */
  holder: string
  rule_name: string
  /** Attempts since the last right code. */
  used: number
  /** How many attempts the rule allowed at the last one. */
  allowed: number
  /** The attempts, the newest first, each as a space, its fingerprint, a colon, and its time. */
  recent: string
  /** When the count, or the lockout, ends. */
  expires_at: Milliseconds
}

interface RedemptionTable {
  /** The verdict's id. */
  reference: string
  expires_at: Milliseconds
}

/** Those for everyone, that name no switch. */
interface PermissionTable {
  id: string
  /** In the form of the URL parser, without a dot at its end. */
  host: string
  /** Whether it covers the hosts below, too: 0 or 1. */
  below: number
  permitted_by: string
  created_at: Milliseconds
  expires_at: Milliseconds
}

/** The others. */
interface ScopedPermissionTable extends PermissionTable {
  /** An address or a network, in canonical form. */
  client_network: string | null
  /** Of the policy's [rooms]. */
  room_name: string | null
  /** In the form that rules compare. */
  user_name: string | null
  group_name: string | null
  /** The switch whose rules it opens, too. */
  despite: string | null
}

interface PresenceTable {
  /** Canonical. */
  client_address: string
  /** As reported, with domain and realm. */
  user_name: string
  /** Negative for a report that was ended, as of a session. */
  expires_at: Milliseconds
  /** At which it was reported or ended. */
  revision: number | string
}

interface SwitchTable {
  switch_name: string
  /** In canonical form, or `*` for everyone. */
  network: string
  /** Whose network it is; empty without one. */
  room: string
  switched_by: string
  created_at: Milliseconds
  expires_at: Milliseconds
}

interface LessonCodeTable {
  id: string
  rule_name: string
  /** See `codeFormatOf`. */
  code_format: number
  /** A keyed SHA-256 of rule and code, base64url. */
  code_hash: string
  /** Empty where it is not known. */
  created_by: string
  created_at: Milliseconds
  expires_at: Milliseconds
}

interface UrlTable {
  /** The first half of the URL's SHA-256, base64url. */
  digest: string
  url: string
  expires_at: Milliseconds
}

/** What visitors and administrators did, for the journal's reports: committed with it. Null for what an event does not have. */
interface EventTable {
  /** UUIDv7. */
  id: string
  at: Milliseconds
  /** As in the audit log, such as `acknowledgement` or `permission.granted`. */
  event: string
  /** Of an acknowledgement: `accepted`, `code rejected` or `locked out`. */
  outcome: string | null
  /** The verdict's id. */
  reference: string | null
  rule_name: string | null
  /** As `hostLabel` writes it: with a dot before it, all below it, too. */
  host: string | null
  /** An address, a network, or a pseudonym. */
  client: string | null
  /** In the form that rules compare, or a pseudonym. */
  user_name: string | null
  group_name: string | null
  room_name: string | null
  switch_name: string | null
  /** The id of the lesson code. */
  lesson_code: string | null
  /** Who did it, for the operators. */
  acted_by: string | null
  despite: string | null
  /** How many sessions or lockouts were ended. */
  ended: number | null
  /** When what was granted expires. */
  expires_at: ColumnType<number | string | null, number | null, number | null>
  /** See `journal_stop`. */
  key_id: number | null
}

interface RevisionTable {
  /** Always 1. */
  id: number
  /** Counts what other engines have to follow: ended sessions, reported users, and changes of permissions, switches and lesson codes. */
  revision: number | string
  /** Engines whose memory is of an earlier revision read all of it again. */
  reread_before: Generated<number | string>
}

export const STATE_SCHEMA: Schema = {
  migrations,
  table: 'engine_migration',
  lock: 7_294_108_355_126_702n,
  remedy: 'an engine does that when it starts',
}
