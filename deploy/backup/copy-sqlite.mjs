// Copies an SQLite database that may be in use: `node copy-sqlite.mjs FROM TO`. If FROM does not exist, nothing is copied.
import { existsSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'

const [from, to] = process.argv.slice(2)
rmSync(to, { force: true })
if (existsSync(from)) {
  const database = new DatabaseSync(from)
  // All pages in one step: between two, any write to the database has SQLite begin again. In one, writes go on in the WAL.
  await backup(database, to, { rate: 2 ** 31 - 1 })
  database.close()
} else {
  process.stdout.write(`${from} does not exist\n`)
}
