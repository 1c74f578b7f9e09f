// How long the journal keeps what, by a clock that the test moves, on both databases.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { emptyJournal } from '../../../src/engine/journal/open-journal.ts'
import { pseudonymOf, readKeys } from '../../../src/engine/journal/pseudonyms.ts'
import type { EngineState } from '../../../src/engine/state/state.ts'
import { databases, query } from '../../support/databases.ts'
import { empty, sharedDatabase } from '../../support/shared-database.ts'
import { until } from '../../support/until.ts'
import { openEngine } from '../state/fixture.ts'
import { DAY, openTestJournal, rowsOf, START, stateOf, stop, type TestJournal } from './fixture.ts'

const HOUR = 3_600_000

async function addEvent(state: EngineState, id: string, at: number, client: string | null, user: string | null) {
  await state.transactions.run('add an event', (transaction) =>
    transaction
      .insertInto('engine_event')
      .values({
        ...{ id, at, event: 'acknowledgement', outcome: 'accepted', reference: null, rule_name: 'news', host: null },
        ...{ client, user_name: user, group_name: null, room_name: null, switch_name: null, lesson_code: null },
        ...{ acted_by: null, despite: null, ended: null, expires_at: null, key_id: null },
      })
      .execute(),
  )
}

const keysOf = (journal: TestJournal) => journal.read('be read', readKeys)

for (const database of databases) {
  const { name, skip, dialect } = database
  describe(name, { skip }, () => {
    const shared = sharedDatabase(database)
    const start = async () => {
      const location = await shared()
      await empty(stateOf(location))
      return location
    }

    test('what is older than days is deleted: stops, totals and events, in as many batches as it takes', async (t) => {
      const location = await start()
      const state = await openEngine(t, stateOf(location))
      const journal = await openTestJournal(t, location, { state })
      for (let count = 0; count < 1_100; count++) journal.add(stop({ url: `https://h${count}.example/` }))
      const last = stop({ at: START + HOUR })
      journal.add(last)
      await journal.flush()
      await addEvent(state, 'old', START, null, null)
      await addEvent(state, 'new', START + HOUR, null, null)
      journal.pass(14 * DAY)
      await journal.retain()
      assert.equal((await rowsOf(location, 'journal_stop', 'at')).length, 1_101, 'exactly that age is kept')
      journal.pass(1)
      await journal.retain()
      assert.deepEqual(
        (await rowsOf(location, 'journal_stop', 'at')).map(({ reference }) => reference),
        [last.reference],
      )
      assert.deepEqual(
        (await rowsOf(stateOf(location), 'engine_event', 'at')).map(({ id }) => id),
        ['new'],
      )
      // Of the total of an hour, some is younger.
      assert.equal((await rowsOf(location, 'journal_total', 'hour')).length, 1_101)
      journal.pass(10 * 60_000)
      await journal.retain()
      assert.deepEqual(
        (await rowsOf(location, 'journal_total', 'hour')).map(({ requests }) => requests),
        [1],
      )
    })

    test('old events are deleted while the journal fails', async (t) => {
      const location = await start()
      const state = await openEngine(t, stateOf(location))
      const journal = await openTestJournal(t, location, { state })
      await journal.flush()
      // Nothing writes after that.
      await journal.retain()
      await addEvent(state, 'old', START, null, null)
      await query(location, 'alter table journal_stop rename to elsewhere')
      t.after(() => query(location, 'alter table elsewhere rename to journal_stop'))
      journal.pass(14 * DAY + 1)
      await assert.rejects(journal.retain())
      assert.deepEqual(await rowsOf(stateOf(location), 'engine_event', 'at'), [])
    })

    test('after person_days, client and user are pseudonyms: the same for the same person, in stops and events', async (t) => {
      const location = await start()
      const state = await openEngine(t, stateOf(location))
      const journal = await openTestJournal(t, location, { state })
      await journal.retain()
      for (let count = 0; count < 250; count++) journal.add(stop({ user: 'anna', at: START + count }))
      journal.add(stop({ user: '198.51.100.7', client: '198.51.100.8', at: START + 250 }))
      journal.add(stop({ at: START + DAY }))
      await journal.flush()
      await addEvent(state, 'a', START, '198.51.100.7', 'anna')
      await addEvent(state, 'b', START + 1, null, null)
      await addEvent(state, 'c', START + DAY, '198.51.100.7', 'anna')
      journal.pass(3 * DAY + 1_000)
      await journal.retain()
      const [key] = await keysOf(journal)
      assert.ok(key)
      const rows = await rowsOf(location, 'journal_stop', 'at')
      const anna = pseudonymOf(key, 'user', 'anna')
      const client = pseudonymOf(key, 'client', '198.51.100.7')
      assert.match(anna, /^~[\w-]{22}$/)
      const persons = (row: (typeof rows)[number] | undefined) => [row?.client, row?.user_name, row?.key_id]
      assert.deepEqual(persons(rows[0]), [client, anna, key.id])
      assert.deepEqual(persons(rows[249]), [client, anna, key.id])
      assert.notEqual(rows[250]?.user_name, client, 'a user with the name of a client is another')
      assert.deepEqual(persons(rows[251]), ['198.51.100.7', null, null])
      assert.equal(rows[0]?.group_name, 'pupils')
      const events = await rowsOf(stateOf(location), 'engine_event', 'at')
      assert.deepEqual(events.map(persons), [
        [client, anna, key.id],
        [null, null, key.id],
        ['198.51.100.7', 'anna', null],
      ])
      await journal.retain()
      assert.deepEqual(await rowsOf(location, 'journal_stop', 'at'), rows, 'a pseudonym is hashed once')
    })

    test('several engines do it at the same time, while rows are written', async (t) => {
      const location = await start()
      const state = await openEngine(t, stateOf(location))
      const journals = await Promise.all([1, 2, 3].map(() => openTestJournal(t, location, { state })))
      const [one] = journals
      for (let count = 0; count < 1_000; count++) {
        journals[count % 3]?.add(stop({ user: `u${count}`, at: START + (count % 2) * 12 * DAY }))
      }
      await Promise.all(journals.map((journal) => journal.flush()))
      for (const journal of journals) {
        journal.pass(15 * DAY + HOUR)
        journal.add(stop({ at: START + 16 * DAY }))
      }
      await Promise.all(journals.flatMap((journal) => [journal.retain(), journal.flush()]))
      await one?.retain()
      const rows = await rowsOf(location, 'journal_stop', 'at')
      assert.deepEqual([rows.length, rows.filter(({ key_id }) => key_id !== null).length], [503, 500])
      assert.equal(new Set(rows.map(({ user_name }) => user_name)).size, 501)
    })

    // The statements of the rest are the same in both dialects.
    if (dialect === 'postgres') return

    test('the key is replaced every days, and deleted when nothing is left to be hashed with it', async (t) => {
      const location = await start()
      const journal = await openTestJournal(t, location)
      await journal.retain()
      const [first] = await keysOf(journal)
      journal.pass(13 * DAY)
      journal.add(stop({ user: 'anna', at: START + 13 * DAY }))
      await journal.flush()
      journal.pass(DAY)
      await journal.retain()
      const both = await keysOf(journal)
      assert.deepEqual([both.length, both[0]], [2, first])
      journal.add(stop({ user: 'anna', at: START + 14 * DAY }))
      await journal.flush()
      journal.pass(3 * DAY - HOUR)
      await journal.retain()
      assert.equal((await keysOf(journal)).length, 2)
      journal.pass(2 * HOUR)
      await journal.retain()
      const keys = await keysOf(journal)
      assert.deepEqual(keys, both.slice(1))
      const [before, after] = await rowsOf(location, 'journal_stop', 'at')
      assert.equal(before?.user_name, pseudonymOf(both[0] as never, 'user', 'anna'))
      assert.equal(after?.user_name, pseudonymOf(both[1] as never, 'user', 'anna'))
    })

    test('a clock that may be wrong deletes nothing: after the start, or set forward, it has to run for an hour', async (t) => {
      const location = await start()
      const before = await openTestJournal(t, location)
      before.add(stop({ user: 'anna' }))
      await before.flush()
      await before.close()
      t.mock.timers.enable({ apis: ['setInterval'] })
      const journal = await openTestJournal(t, location, { at: START + 15 * DAY })
      const round = async () => {
        t.mock.timers.tick(60_000)
        await sleep(300)
        return (await rowsOf(location, 'journal_stop', 'at')).map(({ user_name }) => user_name)
      }
      assert.deepEqual(await round(), ['anna'])
      journal.pass(HOUR - 1)
      assert.deepEqual(await round(), ['anna'])
      journal.pass(1)
      await until(async () => (await round()).length === 0)
      const warnings = () => journal.log.lines.filter(({ level }) => level === 40)
      assert.deepEqual(warnings(), [])
      journal.add(stop({ user: 'ben', at: START + 15 * DAY }))
      await journal.flush()
      journal.setForward(365 * DAY)
      assert.deepEqual(await round(), ['ben'])
      journal.setForward(-365 * DAY)
      assert.deepEqual(await round(), ['ben'])
      assert.deepEqual(
        warnings().map(({ hours, msg }) => [hours, msg]),
        [[8_760, 'the clock was set forward: the journal deletes nothing for an hour']],
      )
    })

    test('a key of the future, by a wrong clock, does not stay in use until then', async (t) => {
      const location = await start()
      const journal = await openTestJournal(t, location, { settings: { personDays: 0 } })
      journal.setForward(3650 * DAY)
      journal.add(stop({ user: 'anna', at: START + 3650 * DAY }))
      await journal.flush()
      journal.setForward(-3650 * DAY)
      for (const day of [0, 14]) {
        journal.pass(day * DAY)
        journal.add(stop({ user: 'anna', at: START + day * DAY }))
        await journal.flush()
      }
      const names = (await rowsOf(location, 'journal_stop', 'at')).map(({ user_name }) => user_name)
      assert.equal(new Set(names).size, 3)
      await journal.retain()
      assert.deepEqual(
        (await keysOf(journal)).map(({ createdAt }) => createdAt),
        [START + 14 * DAY, START + 3650 * DAY],
      )
    })

    test('with person_days = 0 no row ever has a client or user', async (t) => {
      const location = await start()
      const journal = await openTestJournal(t, location, { settings: { personDays: 0 } })
      journal.add(stop({ user: 'anna' }))
      await journal.flush()
      const [row] = await rowsOf(location, 'journal_stop', 'at')
      const [key] = await keysOf(journal)
      assert.ok(key)
      assert.deepEqual(
        [row?.client, row?.user_name, row?.key_id, row?.group_name],
        [pseudonymOf(key, 'client', '198.51.100.7'), pseudonymOf(key, 'user', 'anna'), key.id, 'pupils'],
      )
    })

    test('lowered settings apply after a restart, and days = 0 leaves nothing', async (t) => {
      const location = await start()
      const stateLocation = stateOf(location)
      const state = await openEngine(t, stateLocation)
      const journal = await openTestJournal(t, location, { state })
      journal.add(stop({ user: 'anna' }))
      journal.add(stop({ user: 'anna', at: START + 2 * DAY }))
      await journal.flush()
      await addEvent(state, 'a', START, null, 'anna')
      await journal.close()
      const at = START + 3 * DAY + HOUR
      const lowered = await openTestJournal(t, location, { state, at, settings: { days: 2, personDays: 1 } })
      await lowered.retain()
      const rows = await rowsOf(location, 'journal_stop', 'at')
      assert.deepEqual([rows.length, String(rows[0]?.user_name)[0]], [1, '~'])
      lowered.add(stop({ at }))
      await addEvent(state, 'b', at, null, 'anna')
      await lowered.close()
      await emptyJournal({ location, state, stateLocation })
      for (const table of ['journal_stop', 'journal_total', 'journal_key']) {
        assert.deepEqual(await rowsOf(location, table, '1'), [], table)
      }
      assert.deepEqual(await rowsOf(stateLocation, 'engine_event', 'at'), [])
    })
  })
}

test('without a journal’s file, days = 0 creates none', async (t) => {
  const { temporaryFolder } = await import('../../support/temporary-folder.ts')
  const location = { dialect: 'sqlite', path: `${temporaryFolder(t)}/journal.db` } as const
  const state = await openEngine(t, stateOf(location))
  await emptyJournal({ location, state, stateLocation: stateOf(location) })
  assert.equal(existsSync(location.path), false)
})
