// The tables of journal and state in one database, as a report reads them.
import { sql } from 'kysely'
import { openDatabase } from '../../../src/database/open.ts'
import type { ReportSources } from '../../../src/engine/journal/report/reading.ts'
import { JOURNAL_SCHEMA, type JournalTables } from '../../../src/engine/journal/schema.ts'
import { STATE_SCHEMA, type StateTables } from '../../../src/engine/state/schema.ts'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import type { Cleanup } from '../../support/cleanup.ts'

/** A statement of a report may take so long in an engine, too. */
const LIMIT_MS = 30_000

export async function openTables(t: Cleanup, location: DatabaseLocation) {
  const options = { migrate: true, limit: LIMIT_MS }
  const { db: journal } = await openDatabase<JournalTables>(location, { schema: JOURNAL_SCHEMA, ...options })
  const { db } = await openDatabase<StateTables & JournalTables>(location, { schema: STATE_SCHEMA, ...options })
  t.after(async () => {
    await journal.destroy()
    await db.destroy()
  })
  const sources: ReportSources = {
    read: (_, work) => journal.transaction().setAccessMode('read only').execute(work),
    readEvents: (_, work) => db.transaction().setAccessMode('read only').execute(work),
  }
  return { db, sources, run: (statement: string) => sql.raw(statement).execute(db) }
}
