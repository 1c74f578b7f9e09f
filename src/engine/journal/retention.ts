// How long the journal keeps what: deletes what is older than `days`, and makes clients and users of what is older than
// `person_days` pseudonyms, in small batches next to running engines. Several may do it at the same time.
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { Transactions } from '../../database/transactions.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { StateTables } from '../state/schema.ts'
import type { JournalSettings } from './journal.ts'
import type { JournalDatabase } from './journal-database.ts'
import { currentKeys, DAY_MS, deleteReplacedKeys, keyAt, type PseudonymKey, pseudonymOf } from './pseudonyms.ts'
import { elements } from './write-batch.ts'

export interface RetentionOptions {
  readonly database: Pick<JournalDatabase, 'dialect' | 'run'>
  readonly events: Events
  readonly settings: Pick<JournalSettings, 'days' | 'personDays'>
  /** Whether to stop after the batch in progress. */
  readonly isStopping: () => boolean
}

/** They are in the state's database. */
export interface Events {
  readonly dialect: Dialect
  readonly transactions: Pick<Transactions<StateTables>, 'run'>
}

type Dialect = DatabaseLocation['dialect']
/** What runs a transaction of the database that has the table. */
type Run = (work: (transaction: QueryExecutorProvider) => Promise<number>) => Promise<number>

interface Table {
  readonly name: 'journal_stop' | 'journal_total' | 'engine_event'
  readonly dialect: Dialect
  /** What identifies a row. */
  readonly id: 'rowid' | 'ctid' | 'id'
  /** The column with its time. */
  readonly time: 'at' | 'hour'
  readonly run: Run
}

/** Each transaction takes a few milliseconds, so that rows are written in between. */
const DELETED = 500
/** Hashing these blocks decisions for less than a millisecond. */
const HASHED = 100
const HOUR_MS = 3_600_000

/** @throws {DatabaseUnavailable} the journal's or the state's */
export async function retain({ database, events, settings, isStopping }: RetentionOptions, now: number): Promise<void> {
  const { days, personDays } = settings
  const [stops, totals, happened] = [
    stopTable(database, 'journal_stop'),
    stopTable(database, 'journal_total'),
    eventTable(events),
  ]
  const inBatches = async (size: number, work: () => Promise<number>) => {
    while (!isStopping() && (await work()) >= size);
  }
  const before = now - days * DAY_MS
  // First, because the journal's database may be away.
  await inBatches(DELETED, () => deleteOld(happened, before))
  await inBatches(DELETED, () => deleteOld(stops, before))
  // The whole hour is too old.
  await inBatches(DELETED, () => deleteOld(totals, before - HOUR_MS + 1))
  const personsBefore = now - personDays * DAY_MS
  const keys = await database.run('make pseudonyms', (transaction) => currentKeys(transaction, now, days))
  const hash = createPersonHash(keys)
  for (const table of [stops, happened]) await inBatches(HASHED, () => hashPersons(table, personsBefore, hash))
  if (isStopping()) return
  await database.run('delete replaced keys', (transaction) => deleteReplacedKeys(transaction, personsBefore))
}

/** Deletes everything. @param database undefined if there is none */
export async function deleteAll(database: RetentionOptions['database'] | undefined, events: Events): Promise<void> {
  const tables = [eventTable(events)]
  if (database !== undefined) tables.push(stopTable(database, 'journal_stop'), stopTable(database, 'journal_total'))
  for (const table of tables) while ((await deleteOld(table, Number.MAX_SAFE_INTEGER)) >= DELETED);
  await database?.run('delete its keys', (transaction) => deleteReplacedKeys(transaction, Infinity))
}

function stopTable(database: RetentionOptions['database'], name: 'journal_stop' | 'journal_total'): Table {
  const { dialect } = database
  return {
    ...{ name, dialect, id: dialect === 'sqlite' ? 'rowid' : 'ctid', time: name === 'journal_stop' ? 'at' : 'hour' },
    run: (work) => database.run('delete what is too old', work),
  }
}

function eventTable({ dialect, transactions }: Events): Table {
  return {
    ...{ name: 'engine_event', dialect, id: 'id', time: 'at' },
    run: (work) => transactions.run('delete what is too old', work),
  }
}

/** @returns how many rows */
function deleteOld({ name, dialect, id, time, run }: Table, before: number): Promise<number> {
  const old = sql`select ${sql.ref(id)} from ${sql.table(name)} where ${sql.ref(time)} < ${before}
    order by ${sql.ref(time)} limit ${sql.lit(DELETED)}`
  return run(async (transaction) => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(name)} where ${sql.ref(id)} ${oneOf(dialect, old)}
    `.execute(transaction)
    return Number(numAffectedRows)
  })
}

/** Rows that another engine has locked are skipped: it deletes them. PostgreSQL finds rows at once by an array only. */
function oneOf(dialect: Dialect, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`in (${rows})` : sql`= any(array(${rows} for update skip locked))`
}

interface PlainRow {
  readonly id: string | number
  readonly at: string | number
  readonly client: string | null
  readonly user_name: string | null
}

type Hash = (at: number, client: string | null, user: string | null) => readonly [string | null, string | null, number]

/** Keeps what it has computed: the same few clients have most of the rows. */
function createPersonHash(keys: readonly PseudonymKey[]): Hash {
  const known = new Map<string, string>()
  const pseudonym = (key: PseudonymKey, kind: 'client' | 'user', value: string | null) =>
    value === null ? null : known.getOrInsertComputed(`${key.id} ${kind} ${value}`, () => pseudonymOf(key, kind, value))
  return (at, client, user) => {
    if (known.size > 100_000) known.clear()
    const key = keyAt(keys, at)
    return [pseudonym(key, 'client', client), pseudonym(key, 'user', user), key.id]
  }
}

/** @returns how many rows */
function hashPersons({ name, dialect, id, run }: Table, before: number, hash: Hash): Promise<number> {
  const isText = id === 'ctid'
  const type = id === 'rowid' ? sql`integer` : isText ? sql`tid` : sql`text`
  return run(async (transaction) => {
    const { rows } = await sql<PlainRow>`
      select ${isText ? sql`cast(ctid as text)` : sql.ref(id)} as id, at, client, user_name from ${sql.table(name)}
      where key_id is null and at < ${before} order by at limit ${sql.lit(HASHED)}
      ${dialect === 'postgres' ? sql`for update skip locked` : sql``}
    `.execute(transaction)
    if (rows.length === 0) return 0
    const hashed = rows.map(({ id, at, client, user_name }) => [id, ...hash(Number(at), client, user_name)])
    await sql`
      update ${sql.table(name)} set client = e.value->>1, user_name = e.value->>2, key_id = cast(e.value->>3 as integer)
      from ${elements(dialect, hashed)} where ${sql.table(name)}.${sql.ref(id)} = cast(e.value->>0 as ${type})
    `.execute(transaction)
    return rows.length
  })
}
