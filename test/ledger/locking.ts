// Replicas whose transactions about one verdict meet in PostgreSQL, statement by statement: every order in which the
// server can get their statements, and, where deaths are wanted, in each of them every moment at which one of them dies. A
// depth-first search over what may come next; each run takes one path.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, type DatabaseConnection, type Dialect, Kysely } from 'kysely'
import pg from 'pg'
import { postgresDialect } from '../../src/database/postgres.ts'
import { type Attempt, beginAttempt, completeAttempt } from '../../src/ledger/acceptances.ts'
import type { LedgerTables } from '../../src/ledger/schema.ts'
import { deriveState } from '../../src/ledger/state.ts'
import { parsePostgresUrl } from '../../src/settings/sections/postgres-url.ts'
import { databases } from '../support/databases.ts'
import { postgresUrl } from '../support/postgres-server.ts'
import { acceptanceRequest, NOW, newReference, openReplica } from './fixture.ts'

const AT = new Date(NOW).toISOString()

type Work =
  | { readonly kind: 'begin' }
  | { readonly kind: 'complete'; readonly attempt: number; readonly status: number }

interface Scene {
  /** The attempts that there are already: a status, or null where the engine has not answered yet. */
  readonly before: readonly (number | null)[]
  /** What meets, a replica each. */
  readonly meeting: readonly Work[]
}

const begin: Work = { kind: 'begin' }
const complete = (attempt: number, status: number): Work => ({ kind: 'complete', attempt, status })
const SCENES: Readonly<Record<string, Scene>> = {
  'two tabs': { before: [], meeting: [begin, begin] },
  'two tabs after a wrong code': { before: [403], meeting: [begin, begin] },
  'two wrong codes': { before: [null, null], meeting: [complete(0, 403), complete(1, 403)] },
  'a wrong code and the right one': { before: [null, null], meeting: [complete(0, 403), complete(1, 302)] },
  'the right code twice': { before: [null, null], meeting: [complete(0, 302), complete(1, 302)] },
  'a wrong code and a new attempt': { before: [null], meeting: [complete(0, 403), begin] },
  'the right code and a new attempt': { before: [null], meeting: [complete(0, 302), begin] },
  'two answers to one attempt': { before: [null], meeting: [complete(0, 403), complete(0, 302)] },
}

/** A replica that waits with each statement until it is told to go on. */
interface Replica {
  /** Resolves with what `completeAttempt` decided, or with `died`. */
  work(work: Work, reference: string, attempts: readonly Attempt[]): Promise<unknown>
  isWaiting(): boolean
  goOn(): void
  /** The process of its session on the server. */
  pid(): number
}

function startReplica(t: TestContext, url: string): Replica {
  let pid = 0
  let goOn: (() => void) | undefined
  const wait = (session: number): Promise<void> => {
    pid = session
    const { promise, resolve } = Promise.withResolvers<void>()
    goOn = resolve
    return promise
  }
  const dialect = stepwise(postgresDialect(parsePostgresUrl(url), { milliseconds: 30_000 }), wait)
  const db = new Kysely<LedgerTables>({ dialect })
  t.after(() => db.destroy())
  return {
    work: (work, reference, attempts) =>
      db
        .transaction()
        .execute((transaction): Promise<unknown> => {
          if (work.kind === 'begin') return beginAttempt(transaction, acceptanceRequest({ reference }), AT)
          const attempt = attempts[work.attempt] ?? assert.fail()
          return completeAttempt(transaction, 'postgres', attempt, work.status, AT)
        })
        .catch((error) => {
          assert.match(error.message, /terminat|not queryable/)
          return 'died'
        }),
    isWaiting: () => goOn !== undefined,
    goOn() {
      const go = goOn
      goOn = undefined
      go?.()
    },
    pid: () => pid,
  }
}

/**
 * Every statement and the commit wait first; `begin` does not, because it takes neither lock nor snapshot.
 * @param wait gets the process id of the connection's session
 */
function stepwise(dialect: Dialect, wait: (pid: number) => Promise<void>): Dialect {
  /** Connections are reused. */
  const pids = new WeakMap<DatabaseConnection, number>()
  return {
    ...dialect,
    createDriver() {
      const driver = dialect.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => {
        const connection = await acquire()
        if (pids.has(connection)) return connection
        const execute = connection.executeQuery.bind(connection)
        const { rows } = await execute<{ pid: number }>(CompiledQuery.raw('select pg_backend_pid() as pid'))
        const { pid } = rows[0] ?? assert.fail()
        pids.set(connection, pid)
        connection.executeQuery = async (statement) => {
          if (!/^(begin|rollback)/.test(statement.sql)) await wait(pid)
          return await execute(statement)
        }
        return connection
      }
      return driver
    },
  }
}

/** Takes every path through what `walk` chooses from. */
async function explore(walk: (choose: (options: readonly string[]) => string) => Promise<void>): Promise<number> {
  const path: { readonly options: readonly string[]; taken: number }[] = []
  for (let walks = 1; ; walks++) {
    let depth = 0
    await walk((options) => {
      path[depth] ??= { options, taken: 0 }
      const fork = path[depth++] as (typeof path)[number]
      assert.deepEqual(options, fork.options, 'the same path came out differently')
      return options[fork.taken] as string
    })
    while (path.length > 0 && (path.at(-1)?.taken ?? 0) + 1 === path.at(-1)?.options.length) path.pop()
    const last = path.at(-1)
    if (last === undefined) return walks
    last.taken++
  }
}

/** A test per scene and database. */
export function testScenes({ withDeaths }: { readonly withDeaths: boolean }): void {
  for (const { name, dialect, skip, create } of databases) {
    if (dialect === 'sqlite') continue
    describe(`transactions that meet, ${name}`, { skip, timeout: 120_000, concurrency: true }, () => {
      for (const [what, { before, meeting }] of Object.entries(SCENES)) {
        test(what, async (t) => {
          const location = await create(t)
          const ledger = await openReplica(t, location)
          const url = postgresUrl(location)
          const replicas = meeting.map(() => startReplica(t, url))
          const server = new pg.Client({ connectionString: url })
          // The database goes first.
          server.on('error', () => {})
          await server.connect()
          t.after(() => server.end())
          const isBlocked = async ({ pid }: Replica) => {
            const { rows } = await server.query('select cardinality(pg_blocking_pids($1)) as locks', [pid()])
            return rows[0].locks > 0
          }

          const walks = await explore(async (choose) => {
            const reference = newReference()
            const attempts: Attempt[] = []
            for (const _ of before) attempts.push(await ledger.beginAttempt(acceptanceRequest({ reference })))
            for (const [index, status] of before.entries()) {
              if (status !== null) await ledger.completeAttempt(attempts[index] as Attempt, status)
            }

            const running = new Set(meeting.keys())
            const works = meeting.map(async (work, index) => {
              const result = await replicas[index]?.work(work, reference, attempts)
              running.delete(index)
              return result
            })
            /** Whether it waits to be told to go on; if not, it waits for a lock, or is done. */
            const comesToRest = async (index: number): Promise<boolean> => {
              const replica = replicas[index] ?? assert.fail()
              for (const since = performance.now(); running.has(index) && !replica.isWaiting(); await sleep(0)) {
                if (performance.now() - since > 5 && (await isBlocked(replica))) return false
              }
              return running.has(index)
            }
            let [last, mayDie] = [0, withDeaths]
            for (;;) {
              // What went on last may have let others go on.
              await comesToRest(last)
              const ready: number[] = []
              for (const index of meeting.keys()) if (await comesToRest(index)) ready.push(index)
              if (running.size === 0) break
              const deaths = mayDie ? [...running].map((index) => `${index} dies`) : []
              const [number, dies] = choose([...ready.map(String), ...deaths]).split(' ')
              last = Number(number)
              const replica = replicas[last] ?? assert.fail()
              if (dies !== undefined) await server.query('select pg_terminate_backend($1, 5000)', [replica.pid()])
              mayDie &&= dies === undefined
              replica.goOn()
              if (dies !== undefined) await works[last]
            }
            await check(reference, attempts, await Promise.all(works))
          })
          t.diagnostic(`${walks} paths`)
          assert.ok(walks > (withDeaths ? 20 : 2))

          async function check(reference: string, attempts: readonly Attempt[], results: readonly unknown[]) {
            const committed = meeting.filter((_, index) => results[index] !== 'died')
            const { rows: stored } = await server.query('select * from attempt where jti = $1', [reference])
            const statusOf = (row: Record<string, unknown>) => row.engine_status as number | null
            for (const [index, { id }] of attempts.entries()) {
              const answers = committed.flatMap((work) =>
                work.kind === 'complete' && work.attempt === index ? [work.status] : [],
              )
              const possible = before[index] === null && answers.length > 0 ? answers : [before[index]]
              assert.ok(possible.includes(statusOf(stored.find((row) => row.id === id) ?? assert.fail()) as number))
            }
            const begun = committed.filter(({ kind }) => kind === 'begin')
            assert.equal(stored.length, attempts.length + begun.length)

            const { rows: acceptances } = await server.query('select * from acceptance where jti = $1', [reference])
            assert.equal(acceptances.length, stored.length > 0 ? 1 : 0)
            for (const { state, attempts, engine_status, decided_at } of acceptances) {
              assert.equal(state, deriveState(stored.map(statusOf)))
              assert.equal(attempts, stored.length)
              assert.equal(engine_status, { accepted: 302, refused: 403 }[String(state)] ?? null)
              assert.equal(decided_at === null, state === 'pending')
              assert.equal(results.filter((result) => result === 'accepted').length, state === 'accepted' ? 1 : 0)
            }
          }
        })
      }
    })
  }
}
