// PostgreSQL's transactions: what a program that stops leaves behind, and what a transaction leaves to the next.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../src/database/database.ts'
import { databases, query } from '../support/databases.ts'
import { noPostgres } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'

const OTHER_SESSIONS = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

async function createDatabase(t: TestContext) {
  return (await databases.find(({ name }) => name === 'PostgreSQL')?.create(t)) ?? assert.fail()
}

describe('transactions of PostgreSQL', { skip: noPostgres, timeout: 60_000, concurrency: true }, () => {
  test('a program that stops inside a transaction loses its locks', async (t) => {
    const location = await createDatabase(t)
    const db = connect(location, { milliseconds: 200 })
    t.after(() => db.destroy())
    const stopping = db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction)
      assert.equal((await query(location, `select pid ${OTHER_SESSIONS}`)).length, 1)
      await until(async () => (await query(location, `select pid ${OTHER_SESSIONS}`)).length === 0)
    })
    await assert.rejects(stopping, /not queryable|terminated/)
  })

  test('an incomplete begin does not affect the next transaction', async (t) => {
    const limit = { milliseconds: -1 }
    const db = connect(await createDatabase(t), limit)
    t.after(() => db.destroy())
    const select = () => db.transaction().execute((transaction) => sql`select 1`.execute(transaction))
    await assert.rejects(select(), /statement_timeout/)
    limit.milliseconds = 2_000
    await select()
  })

  test('a commit that the server turns into a rollback fails', async (t) => {
    const db = connect(await createDatabase(t), { milliseconds: 2_000 })
    t.after(() => db.destroy())
    const overlooked = db.transaction().execute(async (transaction) => {
      await sql`select 1 / 0`.execute(transaction).catch(() => {})
    })
    await assert.rejects(overlooked, /rolled back/)
  })
})
