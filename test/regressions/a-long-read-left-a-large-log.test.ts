// While another program reads the SQLite file (a backup, a forgotten shell), SQLite appends to its write-ahead log: 7 MB a
// second under load. When the reader had ended, the log was used again, but kept its size until the engine stopped: 320 MB
// after 45 seconds. It was so for the portal's ledger, too, since both use SQLite.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openEngine, redemption } from '../engine/state/fixture.ts'
import { query } from '../support/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MEGABYTE = 1024 * 1024

for (const [title, isRead] of [
  ['the log is cut when the reader has ended', true],
  ['control: without a reader it stays small', false],
] as const) {
  test(title, async (t) => {
    const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'state.db') } as const
    const state = await openEngine(t, location)
    const logSize = () => statSync(`${location.path}-wal`).size
    const reader = new DatabaseSync(location.path, { readOnly: true })
    if (isRead) reader.exec('begin; select * from engine_session')
    for (let number = 0; number < 30; number++) {
      await query(location, `insert into engine_url values ('${number}', hex(zeroblob(${MEGABYTE / 2})), 0)`)
    }
    assert.equal(logSize() > 30 * MEGABYTE, isRead)
    reader.close()
    // The first one moves the log's content into the file, the next one begins it again.
    for (let count = 0; count < 3; count++) await state.redeem(redemption())
    assert.ok(logSize() <= 16 * MEGABYTE, `${logSize()}`)
  })
}
