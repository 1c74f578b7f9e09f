// The acceptances of one person: those of verdicts that an engine issued for her, and those with her address, where the portal
// records it.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { scrub } from '../../../../database/scrub.ts'
import { deleteAcceptances } from '../../../../ledger/delete-acceptances.ts'
import { ACCEPTANCE_COLUMNS } from '../../../../ledger/schema.ts'
import type { DatabaseLocation } from '../../../../settings/sections/database.ts'
import { openExisting } from './existing-ledger.ts'
import { type AcceptanceWithAttempts, withAttempts } from './reading.ts'

const BATCH = 500

export interface PersonsVerdicts {
  /** The verdicts' ids. */
  readonly references: readonly string[]
  /** Canonical; undefined for a user. */
  readonly clientAddress: string | undefined
}

/** Reads them all. @throws {LedgerUnavailable} */
export async function findPersonsAcceptances(
  location: DatabaseLocation,
  { references, clientAddress }: PersonsVerdicts,
): Promise<readonly AcceptanceWithAttempts[]> {
  const ledger = await openExisting(location, 'read only')
  const found = new Map<string, AcceptanceWithAttempts>()
  const add = async (select: Parameters<typeof ledger.read<readonly AcceptanceWithAttempts[]>>[1]) => {
    const batch = await ledger.read('read a person’s acceptances', select)
    for (const one of batch) found.set(one.jti, one)
    return batch
  }
  try {
    for (const batch of batchesOf(references)) {
      await add(async (transaction) => {
        const query = transaction.selectFrom('acceptance').select(ACCEPTANCE_COLUMNS).where('jti', 'in', batch)
        return await withAttempts(transaction, await query.execute())
      })
    }
    for (let last = '', isMore = clientAddress !== undefined; isMore; ) {
      const batch = await add(async (transaction) => {
        const query = transaction
          .selectFrom('acceptance')
          .select(ACCEPTANCE_COLUMNS)
          .where('id', '>', last)
          .where(sql<boolean>`(client_address = ${clientAddress} or
            jti in (select jti from attempt where client_address = ${clientAddress}))`)
          .orderBy('id')
          .limit(BATCH)
        return await withAttempts(transaction, await query.execute())
      })
      last = batch.at(-1)?.id ?? ''
      isMore = batch.length === BATCH
    }
    return [...found.values()].sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1))
  } finally {
    await ledger.close()
  }
}

/**
 * Deletes these, a batch in each transaction, next to a running portal.
 * @returns how many, and why deleted bytes may remain in the file
 * @throws {LedgerUnavailable}
 */
export async function deletePersonsAcceptances(
  location: DatabaseLocation,
  references: readonly string[],
  clock: () => number,
): Promise<{ readonly deleted: number; readonly remains: string | undefined }> {
  const ledger = await openExisting(location, 'read write')
  let deleted = 0
  try {
    for (const batch of batchesOf(references)) {
      const startedAt = performance.now()
      const erasure = { kind: 'erasure', before: null, at: new Date(clock()).toISOString() } as const
      deleted += await ledger.write('delete acceptances', (transaction) =>
        deleteAcceptances(transaction, location.dialect, batch, erasure),
      )
      // As in `prune`: the portal writes in between.
      await sleep(performance.now() - startedAt)
    }
  } finally {
    await ledger.close()
  }
  // Also where nothing was deleted: the deletion before may have been interrupted here.
  return { deleted, remains: await scrub(location) }
}

function* batchesOf(references: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < references.length; at += BATCH) yield references.slice(at, at + BATCH)
}
