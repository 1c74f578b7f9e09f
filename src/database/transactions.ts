// Runs transactions until it is closed. Every failure becomes the one error of the calling component.
import type { Kysely, Transaction } from 'kysely'
import type { DatabaseUnavailable } from './unavailable.ts'

/** Milliseconds for a statement, a lock, or a place in the queue. Read at every transaction: migrations get longer. */
export interface TimeLimit {
  milliseconds: number
}

/** A transaction is aborted this long after its limit, even if the database does not respond. */
export const ABORT_AFTER_LIMIT_MS = 500

export interface Transactions<Tables> {
  /**
   * @param purpose completes the sentence "… could not …"
   * @param limit runs the transaction when a slot is free
   * @throws {DatabaseUnavailable} the component's error
   */
  run<T>(
    purpose: string,
    work: (transaction: Transaction<Tables>) => Promise<T>,
    limit?: (run: () => Promise<T>) => Promise<T>,
  ): Promise<T>
  /** The same for a read-only transaction. */
  read<T>(purpose: string, work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Waits for transactions in progress, and disconnects; later ones fail. */
  close(): Promise<void>
}

export function createTransactions<Tables>(
  db: Kysely<Tables>,
  Unavailable: new (action: string, cause: unknown) => DatabaseUnavailable,
): Transactions<Tables> {
  const inProgress = new Set<Promise<unknown>>()
  let closed = false

  async function track<T>(purpose: string, start: () => Promise<T>): Promise<T> {
    if (closed) throw new Unavailable(purpose, new Error('it is closed'))
    const transaction = start()
    inProgress.add(transaction)
    try {
      return await transaction
    } catch (error) {
      throw new Unavailable(purpose, error)
    } finally {
      inProgress.delete(transaction)
    }
  }

  return {
    run: (purpose, work, limit = (run) => run()) => track(purpose, () => limit(() => db.transaction().execute(work))),
    read: (purpose, work) => track(purpose, () => db.transaction().setAccessMode('read only').execute(work)),
    async close() {
      closed = true
      await Promise.allSettled(inProgress)
      await db.destroy().catch(() => {})
    },
  }
}
