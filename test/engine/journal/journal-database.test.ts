// The connection for reports exists only while something is read.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReader } from '../../../src/engine/journal/journal-database.ts'
import type { JournalTables } from '../../../src/engine/journal/schema.ts'
import { query } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

test('a reader disconnects when it is idle, connects again, and reads nothing once it is closed', async (t) => {
  const folder = temporaryFolder(t)
  const [path, other] = [join(folder, 'journal.db'), join(folder, 'other.db')]
  for (const [file, id] of [
    [path, 1],
    [other, 2],
  ] as const) {
    await query({ dialect: 'sqlite', path: file }, 'create table journal_key (id integer)')
    await query({ dialect: 'sqlite', path: file }, `insert into journal_key values (${id})`)
  }
  const reader = createReader<JournalTables>({ dialect: 'sqlite', path }, 100) ?? assert.fail()
  const ids = () =>
    reader.read('be read', async (rows) =>
      (await rows.selectFrom('journal_key').select('id').execute()).map(({ id }) => id),
    )
  const connected = await Promise.all([ids(), ids()])
  // A connection that is kept would still read the former file.
  renameSync(other, path)
  assert.deepEqual([...connected, await ids()], [[1], [1], [1]])
  let found: readonly number[] = []
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    found = await ids()
    return found[0] === 2
  })
  await reader.close()
  await assert.rejects(ids(), { name: 'JournalUnavailable' })
})
