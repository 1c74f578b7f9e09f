// Deleting old acceptances while a portal writes new ones.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openPruner } from '../../../../../src/gatewayctl/portal/acceptances/ledger/pruning.ts'
import type { DatabaseLocation } from '../../../../../src/settings/sections/database.ts'
import { acceptanceRequest, NOW, openReplica, storedAcceptance, storedAttempts } from '../../../../ledger/fixture.ts'
import { databases, query } from '../../../../support/databases.ts'
import { emptyLedger, fill } from '../../../../support/ledgers.ts'
import { until } from '../../../../support/until.ts'

async function pruner(t: TestContext, location: DatabaseLocation) {
  const opened = await openPruner(location, Date.now)
  t.after(() => opened.close())
  return opened
}

async function sum(counts: AsyncIterable<number>): Promise<number> {
  let total = 0
  for await (const count of counts) total += count
  return total
}

const EVERYTHING = '2026-01-01T00:00:00.000Z'
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const fileOf = (location: DatabaseLocation) => (location.dialect === 'sqlite' ? location.path : assert.fail())

for (const database of databases) {
  describe(`pruning, ${database.name}`, { skip: database.skip }, () => {
    test('deletes older acceptances with their attempts; the others and the texts stay', async (t) => {
      const location = await emptyLedger(t, database)
      await fill(location, 1_400)
      const ledger = await openReplica(t, location)
      await ledger.keepDocument({ sha256: '0'.repeat(64), text: 'a text', mediaType: 'text/plain', locale: 'en' })
      const prune = await pruner(t, location)
      const before = '2025-01-01T00:02:30.000Z'

      const survey = await prune.survey(before)
      assert.deepEqual(survey, {
        acceptances: { accepted: 840, refused: 105, pending: 105 },
        total: 1_050,
        attempts: 1_050,
        oldest: '2025-01-01T00:00:00.000Z',
        newest: '2025-01-01T00:02:29.000Z',
      })
      assert.equal(await sum(prune.prune(before)), 1_050)
      const left = await query(location, 'select jti, requested_at from acceptance')
      const attemptsLeft = await query(location, 'select jti from attempt')
      assert.equal(left.length, 350)
      assert.ok(left.every(({ requested_at }) => `${requested_at}` >= before))
      assert.deepEqual(new Set(attemptsLeft.map(({ jti }) => jti)), new Set(left.map(({ jti }) => jti)))
      assert.equal((await query(location, 'select * from document')).length, 1)
    })

    test('the portal records during two concurrent prunes, which delete each acceptance once', async (t) => {
      const location = await emptyLedger(t, database)
      await fill(location, 5_000)
      const ledger = await openReplica(t, location)
      const pruners = [await pruner(t, location), await pruner(t, location)]
      let pruning = true
      const references: string[] = []
      const recording = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (pruning) {
            const request = acceptanceRequest()
            await ledger.completeAttempt(await ledger.beginAttempt(request), 302)
            references.push(request.reference)
          }
        }),
      )
      const counts = await Promise.all(pruners.map((prune) => sum(prune.prune(EVERYTHING)))).finally(() => {
        pruning = false
      })
      await recording
      assert.equal(Number(counts[0]) + Number(counts[1]), 5_000)
      const left = await query(location, `select jti from acceptance where state = 'accepted'`)
      assert.deepEqual(left.map(({ jti }) => jti).sort(), references.sort())
      assert.ok(references.length > 10)
    })

    test('a batch is deleted atomically', async (t) => {
      const location = await emptyLedger(t, database)
      await fill(location, 1_000)
      await query(
        location,
        database.dialect === 'sqlite'
          ? `create trigger fault before delete on acceptance when old.jti = 'verdict-00000000000777'
               begin select raise(abort, 'not this one'); end`
          : `create function fault() returns trigger language plpgsql as
               'begin if old.jti = ''verdict-00000000000777'' then raise ''not this one''; end if; return old; end';
             create trigger fault before delete on acceptance for each row execute function fault()`,
      )
      const prune = await pruner(t, location)
      await assert.rejects(sum(prune.prune(EVERYTHING)), /could not delete acceptances: .* refuses it/)
      for (const table of ['acceptance', 'attempt']) {
        assert.equal((await query(location, `select jti from ${table}`)).length, 500, table)
      }
    })
  })
}

for (const database of databases.filter(({ dialect }) => dialect === 'postgres')) {
  test(`${database.name}: a verdict acknowledged again during its deletion`, { skip: database.skip }, async (t) => {
    const location = await emptyLedger(t, database)
    await fill(location, 10)
    await query(
      location,
      `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return null; end';
       create trigger wait before delete on acceptance for each statement execute function wait()`,
    )
    const ledger = await openReplica(t, location)
    const prune = await pruner(t, location)
    const reference = 'verdict-00000000000004'
    const pruning = sum(prune.prune(EVERYTHING))
    const deleting = `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
    await until(async () => (await query(location, deleting)).length === 1)
    const attempt = await ledger.beginAttempt(acceptanceRequest({ reference }))
    assert.equal(await pruning, 10)
    await ledger.completeAttempt(attempt, 302)
    const stored = await storedAcceptance(location, reference)
    assert.deepEqual([stored?.requested_at, stored?.attempts], [new Date(NOW).toISOString(), 1])
    assert.equal((await storedAttempts(location, reference)).length, 1)
  })
}

test('SQLite: the pause after a batch is as long as the batch', async (t) => {
  const location = await emptyLedger(t, sqlite)
  await fill(location, 5_000)
  const prune = await pruner(t, location)
  using portal = new DatabaseSync(fileOf(location), { timeout: 0 })
  const isFree = () => {
    try {
      portal.exec('begin immediate; rollback')
      return true
    } catch {
      return false
    }
  }
  let [pruning, free, locked] = [true, 0, 0]
  const deleted = sum(prune.prune(EVERYTHING)).finally(() => {
    pruning = false
  })
  for (; pruning; await setImmediate()) isFree() ? free++ : locked++
  assert.equal(await deleted, 5_000)
  const share = free / (free + locked)
  assert.ok(share > 0.3, `free for ${(100 * share).toFixed()} % of the time`)
})

test('SQLite: counting does not wait for a writer', { timeout: 5_000 }, async (t) => {
  const location = await emptyLedger(t, sqlite)
  await fill(location, 10)
  const prune = await pruner(t, location)
  using writer = new DatabaseSync(fileOf(location))
  writer.exec('begin immediate')
  assert.equal((await prune.survey(EVERYTHING)).total, 10)
})

test('SQLite: deleted rows are overwritten in the file', async (t) => {
  const location = await emptyLedger(t, sqlite)
  const occurrences = async () => {
    await query(location, 'pragma wal_checkpoint(truncate)')
    return readFileSync(fileOf(location), 'latin1').split('verdict-').length - 1
  }
  await fill(location, 600)
  const before = await occurrences()
  assert.ok(before >= 4 * 600)
  const prune = await pruner(t, location)
  await sum(prune.prune(EVERYTHING))
  // Except copies that inserts leave in gaps of index pages.
  assert.ok((await occurrences()) < before / 50)
})
