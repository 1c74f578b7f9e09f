// Measures sequential durable commits of the disk and the databases: the yardstick for acknowledgements, each of which
// needs two.
import { randomUUID } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

const TABLE = 'create table if not exists row (id text primary key, text text not null)'
/** About as long as an acceptance. */
const TEXT = 'x'.repeat(400)

/** Durations in microseconds. */
export type Durations = RecordableHistogram

/** Appends 4 KB to a file, and calls `fdatasync`. */
export async function fileWrites(folder: string, seconds: number): Promise<Durations> {
  const file = openSync(join(folder, `written-${randomUUID()}`), 'a')
  const page = Buffer.alloc(4096, 'x')
  const durations = await repeat(seconds, () => {
    writeSync(file, page)
    fdatasyncSync(file)
  })
  closeSync(file)
  return durations
}

/** Commits one row at a time, with `journal_mode = wal` and `synchronous = full`. */
export async function sqliteCommits(folder: string, seconds: number): Promise<Durations> {
  using database = new DatabaseSync(join(folder, `commits-${randomUUID()}.db`))
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLE}`)
  const insert = database.prepare('insert into row values (?, ?)')
  return await repeat(seconds, () => insert.run(randomUUID(), TEXT))
}

/** Commits one row at a time, on one connection. */
export async function postgresCommits(url: string, seconds: number): Promise<Durations> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(TABLE)
  const durations = await repeat(seconds, () => client.query('insert into row values ($1, $2)', [randomUUID(), TEXT]))
  await client.query('drop table row')
  await client.end()
  return durations
}

async function repeat(seconds: number, work: () => unknown): Promise<Durations> {
  const durations = createHistogram()
  for (const endAt = performance.now() + seconds * 1000; performance.now() < endAt; ) {
    const startedAt = performance.now()
    await work()
    durations.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)))
  }
  return durations
}
