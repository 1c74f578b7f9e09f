// The tables of the journal, as its migrations create them: what was stopped, and how much was allowed. Times are milliseconds
// since the Unix epoch. PostgreSQL returns 64-bit numbers as text.
import { type ColumnType, sql } from 'kysely'
import type { VerdictKind } from '../../contract/verdict.ts'
import type { Schema } from '../../database/migrating.ts'
import { migrations } from './migrations.ts'

type BigInteger = ColumnType<number | string, number, number>

export interface JournalTables {
  journal_stop: StopTable
  journal_total: TotalTable
  journal_key: KeyTable
}

/** A stopped request. */
interface StopTable {
  at: BigInteger
  /** The verdict's id. Found by the index of `DICTATED`. */
  reference: string
  verdict: VerdictKind
  /** `default` where no rule matched. */
  rule_name: string
  category: string | null
  list_name: string | null
  /** The entry of the list that covers the host. */
  entry: string | null
  /** Null with `hosts = false`. */
  host: string | null
  /** Canonical, or a pseudonym. */
  client: string
  /** In the form that rules compare, or a pseudonym. */
  user_name: string | null
  /** The first group of the policy that has the user. */
  group_name: string | null
  /** The key that the pseudonyms of client and user are made with; null while they are as they came. */
  key_id: number | null
}

/** How many requests had the same of everything in one hour. Empty text stands for nothing, because it is part of the key. */
interface TotalTable {
  /** When the hour began, by the engine's time zone. */
  hour: BigInteger
  verdict: VerdictKind | 'allow'
  /** `default` where no rule matched a stopped request. */
  rule_name: string
  category: string
  list_name: string
  /** Empty for allowed requests, and with `hosts = false`. */
  host: string
  requests: BigInteger
}

/** Keys of pseudonyms. */
interface KeyTable {
  id: number
  created_at: BigInteger
  /** 32 random bytes, base64url. */
  key: string
}

/** The first eight characters of a reference, as it may be dictated: `isDictated`. Indexed. */
export const DICTATED = sql<string>`lower(substr(reference, 1, 8))`

export const JOURNAL_SCHEMA: Schema = {
  migrations,
  table: 'journal_migration',
  lock: 7_294_108_355_126_703n,
  remedy: 'an engine does that when it starts',
}
