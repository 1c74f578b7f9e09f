// Appends a head over what has been completed since the last one, in one transaction with its leaves.
import { sql, type Transaction } from 'kysely'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { HeadRecord, LeafRecord, LedgerTables } from '../schema.ts'
import { entryLeaf } from './entry.ts'
import { type HeadSigner, headHash } from './head.ts'
import { attemptLeaf, COVERED_COLUMNS, LATE_MS, newSalt, OPEN_MS } from './leaf.ts'
import { treeHash } from './merkle.ts'

/** Leaves of one head: an SQLite file is locked for about 25 ms. */
const BATCH = 500
/** A verdict can be acknowledged for up to a day, and an attempt stays open for another; the rest is for clocks. */
const LOOK_BACK_MS = 50 * 3_600_000
/** Arbitrary, distinct from other advisory locks. */
const LOCK = 7_294_108_355_126_704n

/** Acceptances that one transaction reads: those of two days are many, and mostly covered. */
const PAGE = 1_000

export interface Appended {
  /** Undefined if nothing was found so far, and the run continues. */
  readonly head: HeadRecord | undefined
  /** Where the next head continues; undefined if everything is covered. */
  readonly continueAt: string | undefined
}

/** Held until the transaction ends by all that adds or removes leaves; acknowledgements never wait for it. */
export async function lockHeads(
  transaction: Transaction<LedgerTables>,
  dialect: DatabaseLocation['dialect'],
): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction)
}

export interface AppendTimes {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The same for when this process appended its last head, by the clock as it is now; `now` before its first one. */
  readonly last: number
}

/**
 * A head whose `until` was signed by a fast clock claims too much once the clock is right: what is completed then would look
 * inserted. An empty head without that claim comes next, because attempts are compared with the head before theirs.
 * @param continueAt of the head before, in the same run
 */
export async function appendHead(
  transaction: Transaction<LedgerTables>,
  dialect: DatabaseLocation['dialect'],
  signer: HeadSigner,
  { now, last: lastAppended }: AppendTimes,
  continueAt?: string,
): Promise<Appended> {
  await lockHeads(transaction, dialect)
  const previous = await previousHead(transaction, signer.portal)
  const number = previous?.portal === signer.portal ? previous.number + 1 : 1
  const next = {
    ...{ portal: signer.portal, number, at: new Date(now).toISOString(), key: signer.key },
    previous: previous === undefined ? null : headHash(previous),
  }
  if (previous?.until && Date.parse(previous.until) > lastAppended + LATE_MS) {
    const until = await newestUntil(transaction, lastAppended)
    const head = signer.sign({ ...next, until, size: 0, root: treeHash([]) })
    await transaction.insertInto('ledger_head').values(head).execute()
    return { head, continueAt: until === null ? '' : before(Date.parse(until), LOOK_BACK_MS) }
  }
  const since = continueAt ?? (previous?.until ? before(Date.parse(previous.until), LOOK_BACK_MS) : '')
  const end = await endOfPage(transaction, since)
  const attempts = await uncoveredAttempts(transaction, { since, end }, now)
  const entries = await uncoveredEntries(transaction)
  const last = attempts.length === BATCH ? attempts.at(-1)?.requested_at : end
  const isFull = last !== undefined || entries.length === BATCH
  if (isFull && attempts.length + entries.length === 0) return { head: undefined, continueAt: last }
  const leaf = { portal: signer.portal, head: number, before_merge: null }
  const leaves: LeafRecord[] = [
    ...attempts.map((attempt) => {
      const salt = newSalt()
      return { ...leaf, position: 0, hash: attemptLeaf(attempt, salt), attempt_id: attempt.id, entry_id: null, salt }
    }),
    ...entries.map((entry) => {
      return { ...leaf, position: 0, hash: entryLeaf(entry), attempt_id: null, entry_id: entry.id, salt: null }
    }),
  ].map((one, position) => ({ ...one, position }))
  const head = signer.sign({
    ...next,
    until: isFull ? (previous?.until ?? null) : next.at,
    size: leaves.length,
    root: treeHash(leaves.map(({ hash }) => hash)),
  })
  await transaction.insertInto('ledger_head').values(head).execute()
  if (leaves.length > 0) await transaction.insertInto('ledger_leaf').values(leaves).execute()
  return { head, continueAt: isFull ? (last ?? since) : undefined }
}

/** The portal's last head; before its first one, the newest in the ledger. */
async function previousHead(transaction: Transaction<LedgerTables>, portal: string): Promise<HeadRecord | undefined> {
  const heads = transaction.selectFrom('ledger_head').selectAll().limit(1)
  const own = await heads.where('portal', '=', portal).orderBy('number', 'desc').executeTakeFirst()
  if (own !== undefined) return own
  return await heads.orderBy('at', 'desc').orderBy('portal', 'desc').orderBy('number', 'desc').executeTakeFirst()
}

/** Of all heads, up to this time. */
async function newestUntil(transaction: Transaction<LedgerTables>, time: number): Promise<string | null> {
  const { until } = await transaction
    .selectFrom('ledger_head')
    .select(({ fn }) => fn.max('until').as('until'))
    .where('until', '<=', new Date(time).toISOString())
    .executeTakeFirstOrThrow()
  return until
}

/** When the acceptance after a page was requested; undefined on the last page, or if all of a page have the same time. */
async function endOfPage(transaction: Transaction<LedgerTables>, since: string): Promise<string | undefined> {
  const next = await transaction
    .selectFrom('acceptance')
    .select('requested_at')
    .where('requested_at', '>=', since)
    .orderBy('requested_at')
    .orderBy('id')
    .offset(PAGE)
    .limit(1)
    .executeTakeFirst()
  return next !== undefined && next.requested_at > since ? next.requested_at : undefined
}

async function uncoveredAttempts(
  transaction: Transaction<LedgerTables>,
  { since, end }: { readonly since: string; readonly end: string | undefined },
  now: number,
) {
  return await transaction
    .selectFrom('acceptance')
    .innerJoin('attempt', 'attempt.jti', 'acceptance.jti')
    .select(COVERED_COLUMNS)
    .where('acceptance.requested_at', '>=', since)
    .$if(end !== undefined, (query) => query.where('acceptance.requested_at', '<=', `${end}`))
    .where(({ or, eb }) =>
      or([eb('attempt.answered_at', 'is not', null), eb('attempt.asked_at', '<', before(now, OPEN_MS))]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_leaf').select('ledger_leaf.hash').whereRef('ledger_leaf.attempt_id', '=', 'attempt.id'),
        ),
      ),
    )
    .orderBy('acceptance.requested_at')
    .orderBy('acceptance.id')
    .limit(BATCH)
    .execute()
}

async function uncoveredEntries(transaction: Transaction<LedgerTables>) {
  return await transaction
    .selectFrom('ledger_entry')
    .selectAll()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_leaf').select('ledger_leaf.hash').whereRef('ledger_leaf.entry_id', '=', 'ledger_entry.id'),
        ),
      ),
    )
    .orderBy('id')
    .limit(BATCH)
    .execute()
}

const before = (time: number, milliseconds: number) => new Date(time - milliseconds).toISOString()
