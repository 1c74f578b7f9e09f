// What the journal has about a person: to be shown, and deleted in batches. Totals name nobody.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { RowKey } from '../people/pages.ts'
import type { JournalNames } from '../people/person.ts'
import type { Journal } from './journal.ts'
import { type PseudonymKey, readKeys } from './pseudonyms.ts'
import type { JournalTables } from './schema.ts'

export type PersonStop = Selectable<JournalTables['journal_stop']>

/** Methods reject with JournalUnavailable only. */
export interface JournalPeople {
  /** Those that still exist. */
  keys(): Promise<readonly PseudonymKey[]>
  countStops(names: JournalNames): Promise<number>
  /** The oldest first. */
  stops(names: JournalNames, after: RowKey | undefined, limit: number): Promise<readonly PersonStop[]>
  /** Also those that were queued. Each batch is one transaction. @returns their number */
  deleteStops(names: JournalNames): Promise<number>
}

const BATCH = 500

export function createJournalPeople({
  read,
  change,
  flush,
}: Pick<Journal, 'read' | 'change' | 'flush'>): JournalPeople {
  return {
    keys: () => read('read its keys', readKeys),
    async countStops(names) {
      await flush()
      return await read('count a person', async (transaction) => {
        const { rows } = await transaction
          .selectFrom('journal_stop')
          .select(({ fn }) => fn.countAll().as('rows'))
          .where(selectionOf(names))
          .executeTakeFirstOrThrow()
        return Number(rows)
      })
    },
    stops: (names, after, limit) =>
      read('read about a person', (transaction) =>
        transaction
          .selectFrom('journal_stop')
          .selectAll()
          .where(after === undefined ? sql<boolean>`1 = 1` : isAfter(after))
          .where(selectionOf(names))
          .orderBy('at')
          .orderBy('reference')
          .limit(limit)
          .execute(),
      ),
    async deleteStops(names) {
      await flush()
      const selection = selectionOf(names)
      let total = 0
      for (let size = BATCH; size === BATCH; total += size) {
        size = await change('delete a person', async (transaction) => {
          const { numAffectedRows = 0n } = await sql`
            delete from journal_stop where (at, reference) in
              (select at, reference from journal_stop where ${selection} limit ${sql.lit(BATCH)}) and ${selection}
          `.execute(transaction)
          return Number(numAffectedRows)
        })
      }
      return total
    },
  }
}

function isAfter([at = 0, reference = '']: RowKey): RawBuilder<boolean> {
  return sql<boolean>`(at, reference) > (cast(${at} as bigint), cast(${reference} as text))`
}

function selectionOf({ column, values }: JournalNames): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} in (${sql.join(values)})`
}
