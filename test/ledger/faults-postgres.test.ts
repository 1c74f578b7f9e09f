// Faults of a server: it disappears, restarts, stops responding, or ends a session.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { databases, postgresServer, query, useOwnPostgres } from '../support/databases.ts'
import { listen } from '../support/listen.ts'
import { noPostgres, postgresLocation, postgresUrl } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'
import { acceptanceRequest, assertUnavailable, openReplica, storedAcceptance } from './fixture.ts'

useOwnPostgres()

const OTHER_SESSIONS = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

async function createDatabase(t: TestContext) {
  const location = await databases.find(({ name }) => name === 'PostgreSQL')?.create(t)
  return location?.dialect === 'postgres' ? location : assert.fail()
}

/** A TCP proxy to the server that can be blocked. */
async function startTunnel(t: TestContext, url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let blocked = false
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      if (blocked) from.pause()
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const location = new URL(url)
  location.port = `${await listen(t, server)}`
  return {
    location: postgresLocation(location.href),
    block() {
      blocked = true
      for (const socket of sockets) socket.pause()
    },
    unblock() {
      blocked = false
      for (const socket of sockets) socket.resume()
    },
  }
}

describe('faults of a PostgreSQL server', { skip: noPostgres, timeout: 60_000, concurrency: true }, () => {
  test('pg_terminate_backend, idle and inside a transaction; a statement that times out', async (t) => {
    const location = await createDatabase(t)
    const sessions = (which = '') => query(location, `select pid ${OTHER_SESSIONS}${which}`)
    const ledger = await openReplica(t, location)
    await query(location, `select pg_terminate_backend(pid) ${OTHER_SESSIONS}`)
    await until(async () => (await sessions()).length === 0)
    await ledger.ping()

    const locking = new pg.Client({ connectionString: postgresUrl(location) })
    await locking.connect()
    await locking.query('begin; lock table attempt in access exclusive mode')
    const request = acceptanceRequest()
    const waiting = ` and wait_event_type = 'Lock'`
    const beginning = assertUnavailable(ledger.beginAttempt(request), /ended the connection|closed the connection/)
    await until(async () => (await sessions(waiting)).length === 1)
    await query(location, `select pg_terminate_backend(pid) ${OTHER_SESSIONS}${waiting}`)
    await beginning
    // One that times out is cancelled on the server.
    await assertUnavailable(ledger.beginAttempt(request), /it took too long/)
    assert.deepEqual(await sessions(waiting), [])
    await locking.end()
    assert.equal(await storedAcceptance(location, request.reference), undefined)
    await ledger.beginAttempt(request)
  })

  test('the database’s transaction defaults do not matter', async (t) => {
    const location = await createDatabase(t)
    const ledger = await openReplica(t, location)
    await ledger.close()
    const { database } = location.server
    await query(location, `alter database ${database} set default_transaction_isolation = serializable`)
    await query(location, `alter database ${database} set default_transaction_read_only = on`)
    const other = await openReplica(t, location)
    const request = acceptanceRequest()
    await Promise.all(Array.from({ length: 20 }, () => other.beginAttempt(request)))
  })

  test('a server that stops responding: fails in time, and closes its connections', async (t) => {
    const location = await createDatabase(t)
    const tunnel = await startTunnel(t, postgresUrl(location))
    const ledger = await openReplica(t, tunnel.location)
    const requests = Array.from({ length: 15 }, () => acceptanceRequest())
    const beginAll = (assertion: (work: Promise<unknown>) => Promise<unknown>) =>
      Promise.all(requests.map((request) => assertion(ledger.beginAttempt(request))))
    await ledger.ping()
    // One connection exists, nine are being opened, five requests wait for one.
    tunnel.block()
    await beginAll(assertUnavailable)
    tunnel.unblock()
    await beginAll((work) => work)
    let sessions: Record<string, unknown>[] = []
    await until(async () => {
      sessions = await query(location, `select state ${OTHER_SESSIONS}`)
      return sessions.every(({ state }) => state === 'idle')
    })
    assert.ok(sessions.length > 0 && sessions.length <= 10, `${sessions.length} sessions`)
  })

  test('closing does not wait for a server that stopped responding', async (t) => {
    const tunnel = await startTunnel(t, postgresUrl(await createDatabase(t)))
    const ledger = await openReplica(t, tunnel.location)
    await ledger.ping()
    tunnel.block()
    const pinging = assertUnavailable(ledger.ping())
    const started = performance.now()
    await ledger.close()
    assert.ok(performance.now() - started < 6_000)
    await pinging
  })
})

describe('faults that affect a whole PostgreSQL server', { skip: noPostgres, timeout: 60_000 }, () => {
  test('a commit that waits for a standby: fails in time', async (t) => {
    const location = await createDatabase(t)
    const ledger = await openReplica(t, location)
    const configure = async (setting: string, expected: string) => {
      await query(location, setting)
      await query(location, 'select pg_reload_conf()')
      await until(async () => {
        const [row] = await query(location, 'show synchronous_standby_names')
        return row?.synchronous_standby_names === expected
      })
    }
    await configure(`alter system set synchronous_standby_names = 'absent'`, 'absent')
    try {
      await assertUnavailable(ledger.beginAttempt(acceptanceRequest()))
    } finally {
      await configure('alter system reset synchronous_standby_names', '')
    }
    await ledger.beginAttempt(acceptanceRequest())
  })

  test('restarted under load: recovers within 5 s, loses nothing, leaks no connection', async (t) => {
    const server = await postgresServer()
    const location = await createDatabase(t)
    const ledger = await openReplica(t, location)
    const accepted: string[] = []
    let failures = 0
    let running = true
    const load = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (running) {
          const request = acceptanceRequest()
          try {
            await ledger.completeAttempt(await ledger.beginAttempt(request), 302)
            accepted.push(request.reference)
          } catch {
            failures++
            await sleep(20)
          }
        }
      }),
    )
    for (const mode of ['fast', 'immediate'] as const) {
      const [acceptedBefore, failuresBefore] = [accepted.length, failures]
      await until(() => accepted.length > acceptedBefore + 20)
      await server.stop(mode)
      await until(() => failures > failuresBefore + 20)
      const before = accepted.length
      await server.start()
      await until(() => accepted.length > before, 5)
    }
    running = false
    await load

    assert.ok(failures > 0)
    const stored = await query(location, `select jti from acceptance where state = 'accepted'`)
    const references = new Set(stored.map(({ jti }) => jti))
    assert.deepEqual(
      accepted.filter((reference) => !references.has(reference)),
      [],
    )
    const sessions = await query(location, `select state ${OTHER_SESSIONS}`)
    assert.ok(sessions.length <= 10, `${sessions.length} sessions`)
    assert.deepEqual(new Set(sessions.map(({ state }) => state)), new Set(['idle']))
  })
})
