// SQLite for Kysely, in a worker thread: node:sqlite is synchronous, and a lock or an fsync would block the event loop.
// Transactions queue for the one connection, with a timeout. A thread that has ended is replaced.
import { extname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  type AccessMode,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { ABORT_AFTER_LIMIT_MS, type TimeLimit } from './transactions.ts'

/** Requests to the thread; it handles them in order, with one reply each. */
export type SqliteRequest =
  | { readonly kind: 'open'; readonly path: string; readonly access: AccessMode }
  /** Begins a transaction; `milliseconds` limits the wait for the lock. */
  | { readonly kind: 'begin'; readonly access: AccessMode; readonly milliseconds: number }
  | { readonly kind: 'execute'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'close' }

export interface SqliteResult {
  readonly rows: Record<string, unknown>[]
  readonly changes: number
}

export type SqliteReply =
  | SqliteResult
  | { readonly error: { message: string; code: string | undefined; errcode: number | undefined; path: string } }

interface Thread {
  /** Rejects with SQLite's error, and always once the thread has ended. */
  send(request: SqliteRequest): Promise<SqliteResult>
  hasEnded(): boolean
  end(): Promise<unknown>
}

interface Connection extends DatabaseConnection {
  readonly begin: (access: AccessMode) => Promise<unknown>
  readonly execute: (sql: string, parameters?: readonly unknown[]) => Promise<SqliteResult>
  readonly release: () => void
}

export function sqliteDialect(path: string, limit: TimeLimit, access: AccessMode): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    // SQLite would read a relative `file:…` as a URI.
    createDriver: () => sqliteDriver(path === ':memory:' ? path : resolve(path), limit, access),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  /** Kysely returns false because some pragmas cannot be changed in a transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** The driver has its own queue: Kysely's has no timeout. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

function sqliteDriver(path: string, limit: TimeLimit, access: AccessMode): Driver {
  let current: Thread
  let queue: Promise<unknown> = Promise.resolve()

  async function acquireConnection(): Promise<Connection> {
    const startedAt = performance.now()
    const late = Promise.withResolvers<never>()
    late.promise.catch(() => {})
    const abortAfter = limit.milliseconds + ABORT_AFTER_LIMIT_MS
    const timer = setTimeout(() => late.reject(new Error(`SQLite took longer than ${abortAfter} ms`)), abortAfter)
    const previous = queue
    const finished = Promise.withResolvers<void>()
    queue = previous.then(() => finished.promise)
    const release = () => {
      clearTimeout(timer)
      finished.resolve()
    }
    try {
      await Promise.race([previous, late.promise])
      if (current.hasEnded()) await Promise.race([open(), late.promise])
    } catch (error) {
      release()
      throw error
    }
    const thread = current
    const inTime = (request: SqliteRequest) => Promise.race([thread.send(request), late.promise])
    const execute: Connection['execute'] = (sql, parameters = []) => inTime({ kind: 'execute', sql, parameters })
    return {
      begin(access) {
        const remaining = startedAt + limit.milliseconds - performance.now()
        return inTime({ kind: 'begin', access, milliseconds: Math.max(0, Math.ceil(remaining)) })
      },
      execute,
      release,
      async executeQuery<R>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
        const { rows, changes } = await execute(sql, parameters)
        return { rows: rows as R[], numAffectedRows: BigInt(changes) }
      },
      streamQuery() {
        throw new Error('streaming is not supported')
      },
    }
  }

  async function open(): Promise<void> {
    const thread = startThread()
    current = thread
    try {
      await thread.send({ kind: 'open', path, access })
    } catch (error) {
      await thread.end()
      throw error
    }
  }

  function rollBack({ execute }: Connection): void {
    // Not awaited: a statement that timed out may still run; the thread handles this request after it. It fails if SQLite
    // has already rolled back (a full disk).
    execute('rollback').catch(() => {})
  }

  return {
    init: open,
    acquireConnection,
    async beginTransaction(connection: Connection, { accessMode }: TransactionSettings) {
      try {
        await connection.begin(accessMode === 'read only' ? 'read only' : 'read write')
      } catch (error) {
        rollBack(connection)
        throw error
      }
    },
    async commitTransaction({ execute }: Connection) {
      // The thread may still commit after the time limit. Then the caller treats as failed what is recorded.
      await execute('commit')
    },
    async rollbackTransaction(connection: Connection) {
      rollBack(connection)
    },
    async releaseConnection({ release }: Connection) {
      release()
    },
    async destroy() {
      try {
        const { release } = await acquireConnection()
        await current.send({ kind: 'close' }).finally(release)
      } finally {
        await current.end()
      }
    },
  }
}

function startThread(): Thread {
  // With the extension of this file: in the image both are JavaScript.
  const program = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(program, { name: 'sqlite' })
  const unanswered: PromiseWithResolvers<SqliteResult>[] = []
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of unanswered.splice(0)) reject(failure)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the SQLite thread has ended')))
  worker.on('message', (reply: SqliteReply) => {
    const request = unanswered.shift()
    if ('error' in reply) request?.reject(Object.assign(new Error(reply.error.message), reply.error))
    else request?.resolve(reply)
  })
  return {
    send(request) {
      if (failure !== undefined) return Promise.reject(failure)
      const result = Promise.withResolvers<SqliteResult>()
      unanswered.push(result)
      worker.postMessage(request)
      return result.promise
    },
    hasEnded: () => failure !== undefined,
    end: () => worker.terminate(),
  }
}
