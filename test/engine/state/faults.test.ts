// A database that fails: nothing is acknowledged, sessions in memory remain valid, no request waits long, and it recovers.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import pg from 'pg'
import { databases, postgresServer, query, useOwnPostgres } from '../../support/databases.ts'
import { skipWithoutPgbouncer, startPgbouncer } from '../../support/pgbouncer.ts'
import { noPostgres, postgresLocation, postgresUrl } from '../../support/postgres-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { attempt, HOUR, LIMITS, newKeys, openEngine, RULE, redemption, SOMEONE } from './fixture.ts'

useOwnPostgres()

const UNAVAILABLE = { name: 'StateUnavailable' }

test('SQLite that is locked by another program', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'state.db') } as const
  const state = await openEngine(t, location)
  await state.redeem(redemption())
  const locking = new DatabaseSync(location.path)
  locking.exec('begin immediate')
  await Promise.all([
    assert.rejects(state.redeem(redemption()), UNAVAILABLE),
    assert.rejects(state.reserveAttempt(attempt('1111')), UNAVAILABLE),
  ])
  assert.equal(state.hasSession(RULE, SOMEONE), true)
  locking.close()
  await state.redeem(redemption())
})

test('a database of a later version is refused, and an unusable place is named', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'state.db') } as const
  const keys = await newKeys(t)
  await (await openEngine(t, location, { keys })).close()
  await query(location, `insert into engine_migration values ('999-contract-later', '2030-01-01T00:00:00.000Z')`)
  await assert.rejects(openEngine(t, location, { keys }), { ...UNAVAILABLE, message: /999-contract-later/ })
  const missing = { dialect: 'sqlite', path: join(temporaryFolder(t), 'missing', 'state.db') } as const
  await assert.rejects(openEngine(t, missing, { keys }), { ...UNAVAILABLE, message: /ENOENT/ })
})

describe('PostgreSQL', { skip: noPostgres, timeout: 60_000 }, () => {
  const create = databases.find(({ name }) => name === 'PostgreSQL')?.create ?? assert.fail()

  test('a lookup that is blocked gives up after 200 ms', async (t) => {
    const location = await create(t)
    const state = await openEngine(t, location)
    const locking = new pg.Client({ connectionString: postgresUrl(location) })
    await locking.connect()
    await locking.query('begin; lock table engine_session in access exclusive mode')
    const startedAt = performance.now()
    const found = await Promise.all(Array.from({ length: 100 }, () => state.findSession(RULE, SOMEONE)))
    assert.ok(performance.now() - startedAt < 1_500)
    assert.deepEqual(new Set(found), new Set([false]))
    await locking.end()
    await state.redeem(redemption())
  })

  test('stops and returns', async (t) => {
    const server = await postgresServer()
    const location = await create(t)
    const warnings: unknown[] = []
    const log = {
      info: (...words: unknown[]) => warnings.push(words),
      warn: (...words: unknown[]) => warnings.push(words),
    }
    const state = await openEngine(t, location, { log })
    const other = await openEngine(t, location)
    await state.redeem(redemption({ rule: 'another', sessionMs: 2 * HOUR }))
    await state.redeem(redemption())
    const lost = redemption({ rule: 'a third' })
    await server.stop('fast')
    try {
      await assert.rejects(state.redeem(lost), UNAVAILABLE)
      await assert.rejects(state.reserveAttempt(attempt('1111')), UNAVAILABLE)
      await assert.rejects(state.endSessions({}), UNAVAILABLE)
      assert.equal(state.hasSession(RULE, SOMEONE), true, 'sessions in memory remain valid')
      const startedAt = performance.now()
      assert.equal(await state.findSession('a third', SOMEONE), false)
      assert.ok(performance.now() - startedAt < 1_000)
      await until(() => !state.isUp, 5)
      assert.equal(warnings.length, 1, 'one line')
    } finally {
      await server.start()
    }
    await until(() => state.isUp && other.isUp, 5)
    assert.equal(warnings.length, 2)
    assert.deepEqual(await state.redeem(lost), { repeated: false })
    assert.equal(await other.findSession('a third', SOMEONE), true)
    assert.equal(await state.endSessions({ rule: RULE }), 1)
    assert.equal(state.hasSession('another', SOMEONE), true)
  })

  test('behind PgBouncer in transaction mode two engines work as one', { skip: skipWithoutPgbouncer }, async (t) => {
    const direct = await create(t)
    const location = postgresLocation(await startPgbouncer(t, postgresUrl(direct)))
    const keys = await newKeys(t)
    const engines = await Promise.all([openEngine(t, location, { keys }), openEngine(t, location, { keys })])
    const [one, other] = engines
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, number) => engines[number % 2]?.reserveAttempt(attempt(`${number}`))),
    )
    assert.equal(guesses.filter((guess) => guess?.kind === 'reserved').length, LIMITS.attempts)
    await one.redeem(redemption())
    assert.equal(await other.findSession(RULE, SOMEONE), true)
    await one.endSessions({})
    await until(() => !other.hasSession(RULE, SOMEONE), 2)
  })
})
