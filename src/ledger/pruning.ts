// Deleting old acceptances with their attempts, in batches beside a running portal. The texts stay: they are few, name
// nobody, and every running portal counts on those that it kept when it started.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerLocation } from './database.ts'
import { openExisting } from './existing-ledger.ts'
import type { AcceptanceState } from './state.ts'

const BATCH = 500

/** What is older than a moment. */
export interface Survey {
  readonly acceptances: Readonly<Record<AcceptanceState, number>>
  readonly total: number
  readonly attempts: number
  /** `requested_at`; null when there is nothing. */
  readonly oldest: string | null
  readonly newest: string | null
}

/** Everything rejects with LedgerUnavailable or not at all. */
export interface LedgerPruner {
  /** @param before ISO 8601 in UTC with milliseconds */
  survey(before: string): Promise<Survey>
  /** Deletes, the oldest first; gives after each batch, which is committed whole, how many it had. */
  prune(before: string): AsyncGenerator<number>
  close(): Promise<void>
}

/** @throws {LedgerUnavailable} also when the schema is not up to date */
export async function openPruner(location: LedgerLocation): Promise<LedgerPruner> {
  const ledger = await openExisting(location, 'read write')

  /** Those of the batch after `previous`; none when there are no more. */
  function pruneBatch(before: string, previous: { requested_at: string; id: string } | undefined) {
    return ledger.write('delete acceptances', async (transaction) => {
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
      // Whoever begins or completes an attempt meanwhile waits, and finds that the acceptance is gone.
      if (location.dialect === 'postgres') query = query.forUpdate()
      const batch = await query.execute()
      if (batch.length === 0) return batch
      const references = batch.map(({ jti }) => jti)
      await transaction.deleteFrom('attempt').where('jti', 'in', references).execute()
      await transaction.deleteFrom('acceptance').where('jti', 'in', references).execute()
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
        // SQLite has no queue for its one writer: the portal needs gaps to get its turn in.
        await sleep(performance.now() - startedAt)
      }
    },
    close: () => ledger.close(),
  }
}
