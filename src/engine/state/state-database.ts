// The database of the state, as its parts share it.
import type { Kysely, Transaction } from 'kysely'
import type { Transactions } from '../../database/transactions.ts'
import type { DatabaseLocation } from '../../settings/sections/database.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { Events } from './events.ts'
import type { StateKeys } from './key-file.ts'
import type { RowLimits } from './row-limits.ts'
import type { StateTables } from './schema.ts'

export interface StateDatabase {
  readonly db: Kysely<StateTables>
  readonly dialect: DatabaseLocation['dialect']
  readonly transactions: Transactions<StateTables>
  readonly clock: DatabaseClock
  readonly rowLimits: RowLimits
  readonly events: Events
  readonly keys: Pick<StateKeys, 'fingerprint' | 'lessonCodes'>
  /**
   * A transaction for a visitor, as soon as one of the slots is free.
   * @param network the visitor's: each has its turn
   */
  runForVisitor<T>(
    purpose: string,
    network: string,
    work: (transaction: Transaction<StateTables>) => Promise<T>,
  ): Promise<T>
}
