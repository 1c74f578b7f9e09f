// Pseudonyms of clients and users: keyed hashes. A key is replaced every `days`, and deleted when nothing is left to be hashed with
// it; from then on nobody can compute from a name which rows were hers.
import { createHmac, randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { stored } from './rows.ts'
import type { JournalTables } from './schema.ts'

export const DAY_MS = 86_400_000

/** Of base64url: 132 bits. */
const CHARACTERS = 22
const KEY_BYTES = 32

export interface PseudonymKey {
  readonly id: number
  readonly createdAt: number
  readonly key: Buffer
}

export type PersonKind = 'client' | 'user'

/** @param value as it is in the tables */
export function pseudonymOf({ key }: Pick<PseudonymKey, 'key'>, kind: PersonKind, value: string): string {
  const digest = createHmac('sha256', key)
    .update(`${kind}\0${stored(value)}`)
    .digest('base64url')
  return `~${digest.slice(0, CHARACTERS)}`
}

/** The oldest first. */
export async function readKeys(transaction: Transaction<JournalTables>): Promise<readonly PseudonymKey[]> {
  const rows = await transaction.selectFrom('journal_key').selectAll().orderBy('created_at').orderBy('id').execute()
  return rows.map(({ id, created_at, key }) => ({
    id,
    createdAt: Number(created_at),
    key: Buffer.from(key, 'base64url'),
  }))
}

/** With a new one where there is none of the last `days`. */
export async function currentKeys(
  transaction: Transaction<JournalTables>,
  now: number,
  days: number,
): Promise<readonly PseudonymKey[]> {
  const keys = await readKeys(transaction)
  // A key of the future was made by a wrong clock: it would not be replaced until then.
  const newest = keys.findLast(({ createdAt }) => createdAt < now + DAY_MS)
  if (newest !== undefined && newest.createdAt > now - days * DAY_MS) return keys
  const id = Math.max(0, ...keys.map((one) => one.id)) + 1
  // Another engine may have done it meanwhile.
  await transaction
    .insertInto('journal_key')
    .values({ id, created_at: now, key: randomBytes(KEY_BYTES).toString('base64url') })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return await readKeys(transaction)
}

/** The key for what happened then: the same person has one pseudonym as long as a key is in use. */
export function keyAt(keys: readonly PseudonymKey[], at: number): PseudonymKey {
  return (keys.findLast(({ createdAt }) => createdAt <= at) ?? keys[0]) as PseudonymKey
}

/** Deletes those that nothing will be hashed with any more: what happened before this time has been. */
export async function deleteReplacedKeys(transaction: Transaction<JournalTables>, before: number): Promise<void> {
  const keys = await readKeys(transaction)
  const replaced = keys.filter((_, index) => (keys[index + 1]?.createdAt ?? Infinity) <= before)
  if (replaced.length === 0) return
  const ids = replaced.map(({ id }) => id)
  await transaction.deleteFrom('journal_key').where('id', 'in', ids).execute()
}
