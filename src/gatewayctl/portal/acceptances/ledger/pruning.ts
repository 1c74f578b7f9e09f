// Deletes old acceptances with their attempts, in batches, next to a running portal; each batch leaves an entry. The texts
// stay: they are few, contain no personal data, and running portals store theirs only at the start.
import { setTimeout as sleep } from 'node:timers/promises'
import { deleteAcceptances } from '../../../../ledger/delete-acceptances.ts'
import { lockHeads } from '../../../../ledger/heads/append.ts'
import type { AcceptanceState } from '../../../../ledger/state.ts'
import type { DatabaseLocation } from '../../../../settings/sections/database.ts'
import { openExisting } from './existing-ledger.ts'

const BATCH = 500

/** What a prune would delete. */
export interface Survey {
  readonly acceptances: Readonly<Record<AcceptanceState, number>>
  readonly total: number
  readonly attempts: number
  /** `requested_at`; null if nothing matches. */
  readonly oldest: string | null
  readonly newest: string | null
}

/** Every method rejects with LedgerUnavailable only. */
export interface LedgerPruner {
  /** @param before ISO 8601 in UTC with milliseconds */
  survey(before: string): Promise<Survey>
  /** Deletes the oldest first. Yields the size of each batch, which is one transaction. */
  prune(before: string): AsyncGenerator<number>
  close(): Promise<void>
}

/**
 * @param clock milliseconds since 1970
 * @throws {LedgerUnavailable} also if the schema is not up to date
 */
export async function openPruner(location: DatabaseLocation, clock: () => number): Promise<LedgerPruner> {
  const ledger = await openExisting(location, 'read write')

  /** Deletes and returns the batch after `previous`; empty at the end. */
  function pruneBatch(before: string, previous: { requested_at: string; id: string } | undefined) {
    return ledger.write('delete acceptances', async (transaction) => {
      await lockHeads(transaction, location.dialect)
      let query = transaction
        .selectFrom('acceptance')
        .select(['id', 'jti', 'requested_at'])
        .where('requested_at', '<', before)
        .orderBy('requested_at')
        .orderBy('id')
        .limit(BATCH)
      if (previous !== undefined) {
        const { requested_at, id } = previous
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('requested_at', 'id'), '>', tuple(requested_at, id)),
        )
      }
      // A concurrent begin or completion waits, and then finds no acceptance.
      if (location.dialect === 'postgres') query = query.forUpdate()
      const batch = await query.execute()
      if (batch.length === 0) return batch
      const references = batch.map(({ jti }) => jti)
      const at = new Date(clock()).toISOString()
      await deleteAcceptances(transaction, location.dialect, references, { kind: 'prune', before, at })
      return batch
    })
  }

  return {
    survey: (before) =>
      ledger.read('count acceptances', async (transaction) => {
        const states = await transaction
          .selectFrom('acceptance')
          .select(({ fn }) => [
            'state',
            fn.countAll().as('total'),
            fn.sum('attempts').as('attempts'),
            fn.min('requested_at').as('oldest'),
            fn.max('requested_at').as('newest'),
          ])
          .where('requested_at', '<', before)
          .groupBy('state')
          .execute()
        const of = (state: AcceptanceState) => Number(states.find((row) => row.state === state)?.total ?? 0)
        return {
          acceptances: { accepted: of('accepted'), refused: of('refused'), pending: of('pending') },
          total: states.reduce((sum, { total }) => sum + Number(total), 0),
          attempts: states.reduce((sum, { attempts }) => sum + Number(attempts), 0),
          oldest: states.map(({ oldest }) => oldest).sort()[0] ?? null,
          newest:
            states
              .map(({ newest }) => newest)
              .sort()
              .at(-1) ?? null,
        }
      }),
    async *prune(before) {
      for (let previous: { requested_at: string; id: string } | undefined; ; ) {
        const startedAt = performance.now()
        const batch = await pruneBatch(before, previous)
        if (batch.length === 0) return
        yield batch.length
        previous = batch.at(-1)
        // SQLite has one writer at a time and no queue: the pause lets the portal write.
        await sleep(performance.now() - startedAt)
      }
    },
    close: () => ledger.close(),
  }
}
