// SQLite for Kysely, in a worker thread: node:sqlite is synchronous, and neither a lock nor an fsync may stall a page.
// There is one connection; transactions take turns, and give up when theirs does not come in time. A thread that has
// ended is replaced.
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
import { CUT_OFF, type TimeLimit } from './time-limit.ts'

/** What the thread is asked to do; it does one thing after the other and answers each. */
export type SqliteRequest =
  | { readonly kind: 'open'; readonly path: string; readonly access: AccessMode }
  /** Begins a transaction; waits for the lock for at most that many milliseconds. */
  | { readonly kind: 'begin'; readonly access: AccessMode; readonly milliseconds: number }
  | { readonly kind: 'execute'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'close' }

export interface SqliteResult {
  readonly rows: Record<string, unknown>[]
  readonly changes: number
}

export type SqliteReply = SqliteResult | { readonly error: { message: string; errcode: number | undefined } }

interface Thread {
  /** @throws what SQLite said; rejects for good once the thread has ended */
  ask(request: SqliteRequest): Promise<SqliteResult>
  hasEnded(): boolean
  end(): Promise<unknown>
}

interface Connection extends DatabaseConnection {
  readonly begin: (access: AccessMode) => Promise<unknown>
  readonly execute: (sql: string, parameters?: readonly unknown[]) => Promise<SqliteResult>
  readonly release: () => void
}

/** The dialect for one file. */
export function sqliteDialect(path: string, limit: TimeLimit, access: AccessMode): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    // Made absolute, because SQLite would read a relative `file:…` as a URI.
    createDriver: () => sqliteDriver(path === ':memory:' ? path : resolve(path), limit, access),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  /** It is, in SQLite; Kysely says no for the sake of pragmas that cannot be changed in a transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** The driver has its own queue: Kysely's has no time limit. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

function sqliteDriver(path: string, limit: TimeLimit, access: AccessMode): Driver {
  let current: Thread
  let lastTurn: Promise<unknown> = Promise.resolve()

  async function acquireConnection(): Promise<Connection> {
    const startedAt = performance.now()
    const late = Promise.withResolvers<never>()
    late.promise.catch(() => {})
    const timer = setTimeout(() => late.reject(new Error('SQLite took too long')), limit.milliseconds + CUT_OFF)
    const turn = lastTurn
    const finished = Promise.withResolvers<void>()
    lastTurn = turn.then(() => finished.promise)
    const release = () => {
      clearTimeout(timer)
      finished.resolve()
    }
    try {
      await Promise.race([turn, late.promise])
      if (current.hasEnded()) await Promise.race([open(), late.promise])
    } catch (error) {
      release()
      throw error
    }
    const thread = current
    const inTime = (request: SqliteRequest) => Promise.race([thread.ask(request), late.promise])
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
      await thread.ask({ kind: 'open', path, access })
    } catch (error) {
      await thread.end()
      throw error
    }
  }

  function rollBack({ execute }: Connection): void {
    // Not awaited: a statement that was given up may still run. What comes later is carried out after it and this.
    // Fails when SQLite has rolled back by itself (a full disk); what is reported is the failure that led here.
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
        await current.ask({ kind: 'close' }).finally(release)
      } finally {
        await current.end()
      }
    },
  }
}

function startThread(): Thread {
  // Beside this file, with the same ending: the image runs both as JavaScript.
  const program = new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(program, { name: 'ledger' })
  const asked: PromiseWithResolvers<SqliteResult>[] = []
  let failure: Error | undefined
  const fail = (error: Error) => {
    failure ??= error
    for (const { reject } of asked.splice(0)) reject(failure)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the SQLite thread has ended')))
  worker.on('message', (reply: SqliteReply) => {
    const answer = asked.shift()
    if ('error' in reply)
      answer?.reject(Object.assign(new Error(reply.error.message), { errcode: reply.error.errcode }))
    else answer?.resolve(reply)
  })
  return {
    ask(request) {
      if (failure !== undefined) return Promise.reject(failure)
      const answer = Promise.withResolvers<SqliteResult>()
      asked.push(answer)
      worker.postMessage(request)
      return answer.promise
    },
    hasEnded: () => failure !== undefined,
    end: () => worker.terminate(),
  }
}
