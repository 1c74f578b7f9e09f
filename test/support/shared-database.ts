// One database for the tests of a suite, emptied before each: creating its tables takes longer than most tests.
import { existsSync } from 'node:fs'
import { after } from 'node:test'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import type { Cleanup } from './cleanup.ts'
import { query, type TestDatabase } from './databases.ts'

/** As `create` of a test database. To be called in a suite, whose tests have closed what uses it when they end. */
export function sharedDatabase({ create }: Pick<TestDatabase, 'create'>): () => Promise<DatabaseLocation> {
  const closing: (() => Promise<unknown>)[] = []
  const suite: Cleanup = { after: (close) => void closing.push(close) }
  after(async () => {
    for (const close of closing) await close()
  })
  let created: Promise<DatabaseLocation> | undefined
  return async () => {
    if (created === undefined) {
      created = create(suite)
      return await created
    }
    const location = await created
    await empty(location)
    return location
  }
}

/** Rows of migrations, and those that a migration inserts, stay. */
export async function empty(location: DatabaseLocation): Promise<void> {
  if (location.dialect === 'sqlite' && !existsSync(location.path)) return
  const tables = await query(
    location,
    location.dialect === 'sqlite'
      ? `select name from sqlite_master where type = 'table'`
      : `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const names = tables.map(({ name }) => String(name)).filter((name) => !/migration|_revision$/.test(name))
  for (const name of names) await query(location, `delete from ${name}`)
}
