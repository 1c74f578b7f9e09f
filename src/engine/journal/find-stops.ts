// Finds stopped requests in the journal, also those whose client and user have become pseudonyms, as long as the key exists.
import { type Expression, type Selectable, type SqlBool, sql, type Transaction } from 'kysely'
import { isDictated } from '../../contract/reference.ts'
import { isOneOf } from '../../database/one-of.ts'
import {
  type AddressRange,
  addressCount,
  addressWords,
  isInOneOf,
  rangeText,
  withoutContained,
} from '../../network/address-range.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import { startTurn } from '../event-loop.ts'
import { createNetworkPseudonyms, type NetworkPseudonyms } from './network-pseudonyms.ts'
import { type PersonKind, type PseudonymKey, pseudonymOf, readKeys } from './pseudonyms.ts'
import { DICTATED, type JournalTables } from './schema.ts'

/** Selects what matches all of its members. */
export interface StopFilter {
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly rule?: string | undefined
  readonly host?: { readonly host: string; readonly below: boolean } | undefined
  /** As rules compare it, or a pseudonym. */
  readonly user?: string | undefined
  /** A pseudonym. */
  readonly client?: string | undefined
  /** The client is in one of them. */
  readonly networks?: readonly AddressRange[] | undefined
  /** At least the beginning of a reference, as somebody dictates it. */
  readonly reference?: string | undefined
}

/** A place in the order of time. */
export interface Position {
  readonly at: number
  readonly reference: string
}

export interface Stop extends Omit<Selectable<JournalTables['journal_stop']>, 'at'> {
  readonly at: number
}

export interface FoundStops {
  readonly stops: readonly Stop[]
  /** Whether a network has too many addresses to compute their pseudonyms. */
  readonly withoutPseudonyms: boolean
  /** Whether the networks have more clients in the journal than a statement may name. */
  readonly withoutSomeClients: boolean
}

type Reading = Transaction<JournalTables>
type Dialect = DatabaseLocation['dialect']

export const PSEUDONYM = /^~[A-Za-z0-9_-]{22}$/
const MAXIMUM_ADDRESSES = 65_536
/** In the networks. */
const MAXIMUM_CLIENTS = 100_000
const CLIENTS_AT_ONCE = 10_000
/** Reading these costs the database less than pseudonyms cost the engine. */
const ROWS_FOR_PSEUDONYMS = 10_000

interface FindOptions {
  /** What is after this position, the oldest first; without it, the newest first. */
  readonly after?: Position | undefined
  /** Shared by calls for the same networks. */
  readonly networkPseudonyms?: NetworkPseudonyms
}

export async function findStops(
  transaction: Reading,
  dialect: Dialect,
  filter: StopFilter,
  limit: number,
  { after, networkPseudonyms = createNetworkPseudonyms() }: FindOptions = {},
): Promise<FoundStops> {
  const { since, rule, host, user, client, networks, reference } = filter
  const keys = user === undefined && networks === undefined ? [] : await readKeys(transaction)
  const from = Math.max(since ?? 0, after?.at ?? 0)
  const inside =
    networks === undefined
      ? undefined
      : await clientsIn(transaction, networks, {
          keys: (await mayHavePseudonyms(transaction, from)) ? keys : [],
          networkPseudonyms,
        })
  const conditions: Expression<SqlBool>[] = []
  const add = (condition: Expression<SqlBool>) => conditions.push(condition)
  if (since !== undefined) add(sql`at >= ${since}`)
  if (rule !== undefined) add(sql`rule_name = ${rule}`)
  if (host !== undefined) add(hostCondition(host))
  if (user !== undefined) add(isOneOf(dialect, 'user_name', namesOf('user', user, keys)))
  if (client !== undefined) add(sql`client = ${client}`)
  if (inside !== undefined) add(isOneOf(dialect, 'client', inside.clients))
  if (reference !== undefined) add(sql`${DICTATED} = ${reference.slice(0, 8).toLowerCase()}`)
  if (after !== undefined) {
    add(sql`(at > ${after.at} or (at = ${after.at} and reference > ${after.reference}))`)
    // The index is by time alone.
    add(sql`at >= ${after.at}`)
  }
  const direction = after === undefined ? 'desc' : 'asc'
  const rows = await transaction
    .selectFrom('journal_stop')
    .selectAll()
    .where((where) => where.and(conditions))
    .orderBy('at', direction)
    .orderBy('reference', direction)
    .limit(limit)
    .execute()
  const stops = rows.map((row) => ({ ...row, at: Number(row.at) }))
  const { withoutPseudonyms = false, withoutSomeClients = false } = inside ?? {}
  return { stops: meant(stops, reference), withoutPseudonyms, withoutSomeClients }
}

/** One alone if the reference is exactly that. */
function meant(stops: readonly Stop[], dictated: string | undefined): readonly Stop[] {
  if (dictated === undefined) return stops
  const exact = stops.find(({ reference }) => reference === dictated)
  return exact === undefined ? stops.filter(({ reference }) => isDictated(reference, dictated)) : [exact]
}

/** What stands for it in the table. */
function namesOf(kind: PersonKind, name: string, keys: readonly PseudonymKey[]): readonly string[] {
  return PSEUDONYM.test(name) ? [name] : [name, ...keys.map((key) => pseudonymOf(key, kind, name))]
}

function hostCondition({ host, below }: NonNullable<StopFilter['host']>): Expression<SqlBool> {
  if (!below) return sql`host = ${host}`
  const names = `%.${host.replace(/[\\%_]/g, '\\$&')}`
  return sql`(host = ${host} or host like ${names} escape '\\')`
}

/** Whether one of the rows from this time on may have a pseudonym: with `--follow`, hardly ever. */
async function mayHavePseudonyms(transaction: Reading, from: number): Promise<boolean> {
  const { read, hashed } = await transaction
    .selectFrom((of) =>
      of
        .selectFrom('journal_stop')
        .select('key_id')
        .where('at', '>=', from)
        .orderBy('at')
        .limit(ROWS_FOR_PSEUDONYMS)
        .as('first'),
    )
    .select(({ fn }) => [fn.countAll().as('read'), fn.count('key_id').as('hashed')])
    .executeTakeFirstOrThrow()
  return Number(hashed) > 0 || Number(read) === ROWS_FOR_PSEUDONYMS
}

interface Pseudonyms {
  /** Empty where the rows have no pseudonyms. */
  readonly keys: readonly PseudonymKey[]
  readonly networkPseudonyms: NetworkPseudonyms
}

/** Those in the journal, and pseudonyms. */
async function clientsIn(
  transaction: Reading,
  networks: readonly AddressRange[],
  { keys, networkPseudonyms }: Pseudonyms,
) {
  const sorted = withoutContained(networks)
  const [only] = sorted
  if (only !== undefined && sorted.length === 1 && addressCount(only) === 1) {
    return { clients: namesOf('client', rangeText(only), keys) }
  }
  const computable = keys.length === 0 ? [] : upTo(MAXIMUM_ADDRESSES, sorted)
  const withoutPseudonyms = keys.length > 0 && computable.length < sorted.length
  const pseudonyms = await networkPseudonyms(computable, keys)
  const turn = startTurn()
  const clients: string[] = []
  for await (const some of clientsOf(transaction)) {
    for (const client of some) {
      if (turn.isOver()) await turn.next()
      const isInside = client.startsWith('~') ? pseudonyms.has(client) : isInOneOf(sorted, addressWords(client))
      if (!isInside) continue
      if (clients.length === MAXIMUM_CLIENTS) return { clients, withoutPseudonyms, withoutSomeClients: true }
      clients.push(client)
    }
  }
  return { clients, withoutPseudonyms }
}

/** Those of the networks that have no more addresses together. */
function upTo(most: number, networks: readonly AddressRange[]): readonly AddressRange[] {
  let left = most
  return networks.filter((network) => {
    const count = addressCount(network)
    if (count > left) return false
    left -= count
    return true
  })
}

/** All in the journal, each once, in parts. */
async function* clientsOf(transaction: Reading): AsyncGenerator<readonly string[]> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const some = await readClients(transaction, last)
    yield some
    last = some.at(-1)
  }
}

/** Each step finds the next one by the index: `distinct` would read every row. */
async function readClients(transaction: Reading, after: string): Promise<readonly string[]> {
  const { rows } = await sql<{ client: string }>`
    with recursive known(client) as (
      select min(client) from journal_stop where client > ${after}
      union all
      select (select min(client) from journal_stop where client > known.client) from known where known.client is not null
    )
    select client from known where client is not null limit ${sql.lit(CLIENTS_AT_ONCE)}
  `.execute(transaction)
  return rows.map(({ client }) => client)
}
