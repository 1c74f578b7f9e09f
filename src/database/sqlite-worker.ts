// The worker thread that holds the SQLite connection. The reply to a commit means that it is on disk.
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import type { SqliteReply, SqliteRequest, SqliteResult } from './sqlite.ts'

const OPENING_LIMIT_MS = 2_000
const SQLITE_BUSY = 5
/** The write-ahead log has 4 MB, grows while another program reads, and is cut to this size afterwards. */
const MAXIMUM_LOG_BYTES = 16 * 1024 * 1024
const SLEEP = new Int32Array(new SharedArrayBuffer(4))
const NOTHING: SqliteResult = { rows: [], changes: 0 }
/** Prepared statements, by their text: preparing them again took 10 % of an acceptance's CPU time. */
const statements = new Map<string, StatementSync>()
const MAXIMUM_CACHED = 100
/** Longer ones write many rows, and seldom the same number twice. */
const MAXIMUM_CACHED_CHARACTERS = 2_000

let database: DatabaseSync
let file = ''

parentPort?.on('message', (request: SqliteRequest) => parentPort?.postMessage(reply(request)))

function reply(request: SqliteRequest): SqliteReply {
  try {
    return handle(request)
  } catch (error) {
    const { message, code, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
    return { error: { message, code, errcode, path: file } }
  }
}

function handle(request: SqliteRequest): SqliteResult {
  switch (request.kind) {
    case 'open':
      file = request.path
      database = request.access === 'read only' ? openForReading(request.path) : open(request.path)
      return NOTHING
    case 'begin':
      database.exec(
        `pragma busy_timeout = ${request.milliseconds}; begin ${request.access === 'read only' ? '' : 'immediate'}`,
      )
      return NOTHING
    case 'execute': {
      const statement = prepare(request.sql)
      const parameters = request.parameters as SQLInputValue[]
      if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: 0 }
      return { rows: [], changes: Number(statement.run(...parameters).changes) }
    }
    case 'close':
      database.close()
      return NOTHING
  }
}

function prepare(sql: string): StatementSync {
  if (sql.length > MAXIMUM_CACHED_CHARACTERS) return database.prepare(sql)
  if (statements.size >= MAXIMUM_CACHED) statements.clear()
  return statements.getOrInsertComputed(sql, () => database.prepare(sql))
}

function open(path: string): DatabaseSync {
  // Readable for its owner only; SQLite gives the files next to it the same mode.
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600))
  const opened = new DatabaseSync(path, { timeout: OPENING_LIMIT_MS })
  switchToWal(opened)
  // Without secure_delete, deleted rows stay in the file until others overwrite them.
  opened.exec(`pragma synchronous = full; pragma secure_delete = on; pragma journal_size_limit = ${MAXIMUM_LOG_BYTES}`)
  return opened
}

/** Creates no file, and does not block writers. */
function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: OPENING_LIMIT_MS, readOnly: true })
}

/** SQLite ignores the timeout here while another process opens the same file. */
function switchToWal(opened: DatabaseSync): void {
  for (const startedAt = performance.now(); ; Atomics.wait(SLEEP, 0, 0, 10)) {
    try {
      opened.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
      if (performance.now() - startedAt > OPENING_LIMIT_MS) throw error
    }
  }
}
