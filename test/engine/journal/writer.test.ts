// What the journal writes of stopped and allowed requests, on both databases: every row once, none for a fault of another.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { Journal } from '../../../src/engine/journal/journal.ts'
import { createJournalDatabase } from '../../../src/engine/journal/journal-database.ts'
import { createWriter, type WriterOptions } from '../../../src/engine/journal/writer.ts'
import { countDecision } from '../../../src/engine/monitoring/tally.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'
import { databases, query } from '../../support/databases.ts'
import { sharedDatabase } from '../../support/shared-database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { recordLog } from '../recorded-log.ts'
import { newKeys } from '../state/fixture.ts'
import { openTestJournal, rowsOf, SETTINGS, START, stop } from './fixture.ts'

const HOUR_START = Date.UTC(2026, 10, 20, 7, 30)
const ALLOWED = { verdict: 'allow', rule: undefined, session: false } as const

const LIMITS = { writeMs: 300, closeMs: 300 }

for (const database of databases) {
  const { name, skip, dialect } = database
  describe(name, { skip }, () => {
    const shared = sharedDatabase(database)

    test('a row has what was decided, and what the policy says of rule and user', async (t) => {
      const location = await shared()
      const journal = await openTestJournal(t, location)
      const first = stop({ user: 'anna' })
      journal.add(first)
      const second = stop({
        at: START + 1,
        rule: 'default',
        client: '2001:db8::1',
        url: 'https://o.example/secret?q=1',
      })
      journal.add({ ...second, reason: undefined })
      await journal.flush()
      const common = { verdict: 'block', key_id: null }
      const bare = { category: null, list_name: null, entry: null, user_name: null, group_name: null }
      assert.deepEqual(await rowsOf(location, 'journal_stop', 'at'), [
        {
          ...common,
          ...{ at: START, reference: first.reference, rule_name: 'gambling', category: 'Gambling' },
          ...{ list_name: 'casinos', entry: 'casino.example', host: 'www.casino.example' },
          ...{ client: '198.51.100.7', user_name: 'anna', group_name: 'pupils' },
        },
        {
          ...{ ...common, ...bare, at: START + 1, reference: second.reference, rule_name: 'default' },
          ...{ host: 'o.example', client: '2001:db8::1' },
        },
      ])
      assert.deepEqual(journal.status, { isUp: true, fault: undefined, queued: 0, written: 2, lost: 0 })
    })

    test('totals are by the hour of the engine’s zone, and add up after a restart and between engines', async (t) => {
      const location = await shared()
      const [one, other] = [await openTestJournal(t, location), await openTestJournal(t, location)]
      for (let count = 0; count < 3; count++) countDecision(one.tally, 'icap', ALLOWED, 0)
      countDecision(one.tally, 'json', { ...ALLOWED, rule: 'news', session: true }, 0)
      one.add(stop())
      // Ten minutes later the next hour has begun in Kolkata.
      one.add(stop({ at: START + 10 * 60_000 }))
      countDecision(other.tally, 'json', ALLOWED, 0)
      other.add(stop())
      await Promise.all([one.flush(), other.flush()])
      countDecision(one.tally, 'icap', ALLOWED, 0)
      await one.close()
      const third = await openTestJournal(t, location)
      third.add(stop({ url: 'https://poker.example/' }))
      countDecision(third.tally, 'icap', ALLOWED, 0)
      await third.flush()
      const gambling = { verdict: 'block', rule_name: 'gambling', category: 'Gambling', list_name: 'casinos' }
      const allowed = { hour: HOUR_START, verdict: 'allow', category: '', list_name: '', host: '' }
      assert.deepEqual(await rowsOf(location, 'journal_total', 'hour, verdict, rule_name, host'), [
        { ...allowed, rule_name: '', requests: 6 },
        { ...allowed, rule_name: 'news', requests: 1 },
        { hour: HOUR_START, ...gambling, host: 'poker.example', requests: 1 },
        { hour: HOUR_START, ...gambling, host: 'www.casino.example', requests: 2 },
        { hour: HOUR_START + 3_600_000, ...gambling, host: 'www.casino.example', requests: 1 },
      ])
    })

    test('hostile values are stored, and a row that the database refuses loses no other', async (t) => {
      const location = await shared()
      const journal = await openTestJournal(t, location)
      const hostile = stop({ rule: `\0\ud800'"--\u202e${'x'.repeat(5_000)}` })
      const host = `${'a'.repeat(63)}.`.repeat(4).slice(0, 253)
      journal.add({ ...hostile, host, user: 'o\0\udfff' })
      await journal.flush()
      // Nothing writes after that.
      await journal.retain()
      await refuse(location, dialect)
      for (let number = 0; number < 1_200; number++) {
        journal.add(number === 700 ? stop({ rule: 'refused' }) : stop())
      }
      await journal.flush()
      const rows = await query(location, 'select rule_name, host, user_name from journal_stop')
      assert.equal(rows.length, 1_200)
      const found = rows.find(({ host: one }) => one === host)
      assert.equal(found?.rule_name, `\ufffd\ufffd'"--\u202e${'x'.repeat(5_000)}`.slice(0, 300))
      assert.equal(found?.user_name, 'o\ufffd\ufffd')
      assert.deepEqual(journal.status, { isUp: true, fault: undefined, queued: 0, written: 1_200, lost: 1 })
      const [total] = await query(location, `select sum(requests) as sum from journal_total`)
      assert.equal(Number(total?.sum), 1_200)
    })

    test('rows whose commit failed, but was done, are not written twice', async (t) => {
      const location = await shared()
      const database = createJournalDatabase(location)
      t.after(() => database.close())
      let isFailing = true
      const writer = createWriter({
        ...options(),
        database: {
          ...database,
          async run(purpose, work) {
            const result = await database.run(purpose, work)
            if (isFailing) throw new Error('the connection was lost')
            return result
          },
        },
      })
      t.after(() => writer.stop())
      for (let count = 0; count < 3; count++) writer.add(stop())
      await assert.rejects(writer.flush())
      assert.equal(writer.status.queued, 3)
      isFailing = false
      writer.add(stop())
      await writer.flush()
      assert.equal((await rowsOf(location, 'journal_stop', 'at')).length, 4)
      assert.equal((await rowsOf(location, 'journal_total', 'hour'))[0]?.requests, 4)
    })

    // The statements of the rest are the same in both dialects.
    if (dialect === 'postgres') return

    test('a removed rule whose counts begin again is counted on', async (t) => {
      const location = await shared()
      const journal = await openTestJournal(t, location)
      const decide = (count: number) => {
        for (let one = 0; one < count; one++) countDecision(journal.tally, 'icap', { ...ALLOWED, rule: 'news' }, 0)
      }
      decide(5)
      await journal.flush()
      journal.tally.decisions.delete('news')
      decide(2)
      await journal.flush()
      assert.equal((await rowsOf(location, 'journal_total', 'hour'))[0]?.requests, 7)
    })

    test('without hosts, neither rows nor totals have one', async (t) => {
      const location = await shared()
      const journal = await openTestJournal(t, location, { settings: { hosts: false } })
      journal.add(stop())
      journal.add(stop({ url: 'https://poker.example/' }))
      await journal.flush()
      const rows = await rowsOf(location, 'journal_stop', 'at')
      assert.deepEqual(
        rows.map(({ host, entry, list_name }) => [host, entry, list_name]),
        [
          [null, null, 'casinos'],
          [null, null, 'casinos'],
        ],
      )
      assert.deepEqual(
        (await rowsOf(location, 'journal_total', 'hour')).map(({ host, requests }) => [host, requests]),
        [['', 2]],
      )
    })

    test('reads see what is committed, on a connection that cannot write, and the events', async (t) => {
      const location = await shared()
      const journal = await openTestJournal(t, location)
      journal.add(stop())
      await journal.flush()
      const read = () => journal.read('be read', (rows) => rows.selectFrom('journal_stop').select('at').execute())
      assert.equal((await read()).length, 1)
      assert.deepEqual(
        await journal.readEvents('be read', (rows) => rows.selectFrom('engine_event').select('id').execute()),
        [],
      )
      const remove = journal.read('be read', (rows) => rows.deleteFrom('journal_stop').execute())
      await assert.rejects(remove, { name: 'JournalUnavailable' })
      await journal.change('be changed', (rows) => rows.deleteFrom('journal_stop').execute())
      assert.deepEqual(await read(), [])
    })
  })
}

function options(): Omit<WriterOptions, 'database'> {
  return {
    ...{ settings: SETTINGS, policies: { current: { rules: [], groups: [] } }, tally: { decisions: new Map() } },
    zone: zoneClock('UTC') as NonNullable<ReturnType<typeof zoneClock>>,
    ...{ clock: () => START, log: recordLog().log },
  }
}

/** Makes the database refuse rows of one rule. */
async function refuse(location: Parameters<typeof query>[0], dialect: 'sqlite' | 'postgres'): Promise<void> {
  if (dialect === 'sqlite') {
    await query(
      location,
      `create trigger fault before insert on journal_stop when new.rule_name = 'refused' begin select raise(abort, 'no'); end`,
    )
    return
  }
  await query(
    location,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
     create trigger fault before insert on journal_stop for each row when (new.rule_name = 'refused')
     execute function refuse()`,
  )
}

/** Waits for retention first: its transaction could not end while this thread waits for the lock. */
async function lock(journal: Pick<Journal, 'retain'>, path: string): Promise<DatabaseSync> {
  await journal.retain()
  const locking = new DatabaseSync(path)
  locking.exec('begin immediate')
  return locking
}

test('rows beyond the bound are lost, counted and logged once, and those within it are written later', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'journal.db') } as const
  const journal = await openTestJournal(t, location, { capacity: 50, limits: LIMITS })
  journal.add(stop())
  await journal.flush()
  const locking = await lock(journal, location.path)
  await assert.rejects(
    () => {
      journal.add(stop())
      return journal.flush()
    },
    { name: 'JournalUnavailable', message: /locked/ },
  )
  for (let count = 0; count < 120; count++) journal.add(stop())
  // One is in the batch that failed.
  const { isUp, fault, queued, lost } = journal.status
  assert.deepEqual([isUp, queued, lost], [false, 51, 70])
  assert.match(String(fault), /locked/)
  await until(() => journal.log.messages().some((line) => line.includes('are missing')))
  locking.close()
  await journal.flush()
  assert.equal((await rowsOf(location, 'journal_stop', 'at')).length, 52)
  assert.deepEqual(journal.status, { isUp: true, fault: undefined, queued: 0, written: 52, lost: 70 })
  const errors = journal.log.lines.filter(({ level }) => level === 50)
  assert.deepEqual(
    errors.map(({ lost }) => lost),
    [undefined, 70],
  )
  assert.ok(journal.log.messages().includes('the journal is written again'))
})

test('a database that cannot be opened at the start is opened as soon as it can be', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'later', 'journal.db') } as const
  const elsewhere = { dialect: 'sqlite', path: join(temporaryFolder(t), 'state.db') } as const
  const { openEngine } = await import('../state/fixture.ts')
  const state = await openEngine(t, elsewhere, { keys: await newKeys(t) })
  const journal = await openTestJournal(t, location, { state, stateLocation: elsewhere })
  journal.add(stop())
  await until(() => !journal.status.isUp)
  assert.match(journal.log.messages().join(), /the journal cannot be opened/)
  await assert.rejects(
    journal.read('be read', async () => {}),
    { name: 'JournalUnavailable', message: /ENOENT/ },
  )
  mkdirSync(dirname(location.path))
  await until(() => journal.status.isUp && journal.status.written === 1)
  assert.ok(existsSync(location.path))
})

test('closing writes what is queued, and does not wait for a database that does not respond', async (t) => {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'journal.db') } as const
  const journal = await openTestJournal(t, location)
  await journal.flush()
  journal.add(stop())
  await journal.close()
  assert.equal((await rowsOf(location, 'journal_stop', 'at')).length, 1)

  const other = await openTestJournal(t, location, { limits: LIMITS })
  await other.flush()
  using _locking = await lock(other, location.path)
  other.add(stop())
  const startedAt = performance.now()
  await other.close()
  assert.ok(performance.now() - startedAt < 2_000)
  assert.match(other.log.messages().join(), /these rows are lost/)
})
