// A report states exactly what happened in its period: a school's month with known truths, in each database.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseBound, periodOf } from '../../../src/engine/journal/report/period.ts'
import { createReport, type ReportContent } from '../../../src/engine/journal/report/report.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { MONTH, PLANTED, SCHOOL_POLICY, schoolMonth, ZONE } from '../../support/school-month.ts'
import { writeSchoolMonth } from '../../support/school-tables.ts'
import { schoolTruth } from '../../support/school-truth.ts'
import { configure, policy } from '../running-engine.ts'
import { openTables } from './report-tables.ts'

const zone = zoneClock(ZONE) ?? assert.fail()
const bound = (text: string) => parseBound(text, ZONE, 0) ?? assert.fail(text)
const between = (since: string, until: string) => periodOf(bound(since), bound(until)) ?? assert.fail()
const names = Object.fromEntries(
  Object.entries(SCHOOL_POLICY.files).map(([file, content]) => [file.replace('.txt', ''), content.split('\n')]),
)
const school = configure(policy(SCHOOL_POLICY.rules, SCHOOL_POLICY.topLevel), {}, names).policy
const everything = { period: between(MONTH.since, MONTH.until), top: 100, people: false, hosts: true }

for (const database of databases) {
  describe(database.name, { skip: database.skip }, () => {
    test('a month of a school', async (t) => {
      const { sources, truth, run } = await month(t, database)
      await t.test('a month: what was stopped, by everything that a report sums up', async () => {
        const report = await createReport(sources, school, zone, everything)
        assert.deepEqual(report.requests, truth.requests)
        const days = report.days.map(({ date, block, warn, aup }) => [date, block + warn + aup] as const)
        assert.equal(days.length, 31)
        assert.deepEqual(new Map(days.filter(([, stopped]) => stopped > 0)), truth.byDay)
        const hours = report.week.flatMap((row, day) =>
          row.map((count, hour) => [`${day + 1} ${hour}`, count] as const),
        )
        assert.deepEqual(sorted(hours.filter(([, stopped]) => stopped > 0)), sorted(truth.byWeekdayAndHour))
        assert.deepEqual(sorted(named(report.categories.top)), sorted(truth.byCategory))
        assert.deepEqual(sorted(named(report.rules.top)), sorted(truth.byRule))
        assert.deepEqual(sorted(named(report.lists.top)), sorted(truth.byList))
        const hosts = report.hosts.map(({ host, requests }) => [host, requests] as const)
        assert.deepEqual(sorted(hosts), sorted(truth.byHost))
        assert.equal(hosts[0]?.[0], 'game-03.example')
        assert.equal(report.people, null)
      })

      await t.test('the busiest hour, and the day with 23 hours', async () => {
        const { busiest, days } = await createReport(sources, school, zone, everything)
        const begins = Temporal.PlainDateTime.from(PLANTED.busiest.at).toZonedDateTime(ZONE).epochMilliseconds
        assert.equal(busiest?.hour, begins)
        assert.ok(busiest.stopped > PLANTED.busiest.more)
        const { date, before, after } = PLANTED.changedClocks
        const changed = days.find((day) => day.date === date)
        assert.deepEqual([changed?.hours, changed?.block], [23, before + after])
        assert.equal(truth.byWeekdayAndHour.get('7 1'), before)
        assert.equal(truth.byWeekdayAndHour.get('7 3'), after)
        assert.deepEqual(new Set(days.filter((day) => day.date !== date).map(({ hours }) => hours)), new Set([24]))
      })

      await t.test('what visitors and administrators did', async () => {
        const report = await createReport(sources, school, zone, everything)
        const { acknowledgements, permissions, switches } = report
        const accepted = acknowledgements.rules.map(({ rule, accepted }) => [rule ?? '', accepted] as const)
        assert.deepEqual(sorted(accepted), sorted(truth.acceptedBy))
        assert.equal(acknowledgements.rejected, truth.wrongCodes)
        assert.equal(acknowledgements.locked_out, PLANTED.guessers.length)
        const { host, times } = PLANTED.permitted
        const stopped = (truth.byHost.get('museum.example') ?? 0) + (truth.byHost.get('pictures.museum.example') ?? 0)
        assert.deepEqual(permissions, { granted: times, hosts: [{ host, granted: times, stopped }] })
        assert.deepEqual(switches, [{ switch: 'exam', on: truth.switchedOn, off: 0 }])
      })

      await t.test(
        'over-blocking: the list behind the permissions, and the list that nothing else confirms',
        async () => {
          const { causes, lists } = (await createReport(sources, school, zone, everything)).over_blocking
          const { list, permitted } = PLANTED
          const stopped = truth.byRule.get('broad') ?? 0
          const cause = {
            rule: 'broad',
            category: null,
            list,
            stopped,
            permissions: permitted.times,
            acknowledgements: 0,
          }
          assert.deepEqual(causes[0], cause)
          const acknowledged = causes.slice(1).map(({ rule, acknowledgements }) => [rule, acknowledgements] as const)
          assert.deepEqual(sorted(acknowledged), sorted(truth.acceptedBy))
          assert.deepEqual(
            causes.find(({ rule }) => rule === 'social')?.list,
            'social',
            'the list is known from the stop alone',
          )
          const count = (host: string) => truth.byHost.get(host) ?? 0
          const alone = [
            { host: 'museum.example', requests: count('museum.example') },
            { host: 'pictures.museum.example', requests: count('pictures.museum.example') },
          ].sort((one, other) => other.requests - one.requests)
          const sum = alone.reduce((sum, { requests }) => sum + requests, 0)
          assert.deepEqual(lists[0], { list, stopped, asked: stopped, alone: sum, hosts: alone })
          const games = lists.find((one) => one.list === 'games')
          assert.deepEqual(games?.hosts, [{ host: 'game-30.example', requests: count('game-30.example') }])
          assert.equal(lists.find((one) => one.list === 'gambling')?.alone, 0)
        },
      )

      await t.test('people, only where they are asked for', async () => {
        const { people } = await createReport(sources, school, zone, { ...everything, people: true })
        assert.deepEqual(sorted(named(people?.users ?? [])), sorted(truth.byUser))
        assert.deepEqual(sorted(named(people?.clients ?? [])), sorted(truth.byClient))
        assert.deepEqual(sorted(named(people?.groups ?? [])), sorted(truth.byGroup))
        assert.ok(people?.users.every(({ pseudonym }) => !pseudonym))
      })

      await t.test('an hour without the next one', async () => {
        const hour = between('2027-03-16T09:00+01:00', '2027-03-16T10:00+01:00')
        const { requests } = await createReport(sources, school, zone, { ...everything, period: hour })
        const inHour = schoolMonth().filter(({ at }) => at >= hour.since && at < hour.until)
        const stopped = inHour.filter((event) => event.kind === 'request' && event.stop !== undefined)
        assert.equal(requests.block + requests.warn + requests.aup, stopped.length)
      })

      await t.test('only what is in the period, and the largest entries with what the others have', async () => {
        const period = between('2027-03-16', '2027-03-17')
        const { requests, days, rules, hosts, acknowledgements } = await createReport(sources, school, zone, {
          ...{ period, top: 2, people: false, hosts: true },
        })
        const stopped = requests.block + requests.warn + requests.aup
        assert.equal(stopped, truth.byDay.get('2027-03-16'))
        assert.deepEqual(
          days.map(({ date }) => date),
          ['2027-03-16'],
        )
        assert.equal(rules.top.length, 2)
        assert.ok(rules.others.entries > 1)
        const sum = rules.top.reduce((sum, { requests }) => sum + requests, rules.others.requests)
        assert.equal(sum, stopped)
        assert.equal(hosts.length, 2)
        assert.ok(acknowledgements.accepted > 0)
        assert.ok(acknowledgements.accepted < [...truth.acceptedBy.values()].reduce((sum, one) => sum + one, 0))
      })

      // These change the tables.
      await t.test(
        'a permission for a host that nothing stopped, and a stop whose row is no longer there',
        async () => {
          await run(`insert into engine_event (id, at, event, host)
          values ${['never.example', 'eum.example', '.un.example'].map((host) => `('${host}', ${everything.period.since}, 'permission.granted', '${host}')`)}`)
          await run(`delete from journal_stop where rule_name = 'social'`)
          const { causes } = (await createReport(sources, school, zone, everything)).over_blocking
          const none = { category: null, list: null, stopped: 0 }
          const unknown = causes.find(({ rule }) => rule === null)
          assert.deepEqual(unknown, { rule: null, ...none, permissions: 3, acknowledgements: 0 })
          assert.ok((causes.find(({ rule, list }) => rule === 'social' && list === null)?.acknowledgements ?? 0) > 0)
        },
      )

      await t.test('pseudonyms are marked', async () => {
        await run(`update journal_stop set user_name = '~pseudonym', key_id = 1 where user_name = 'pupil-001'`)
        const { people } = await createReport(sources, school, zone, { ...everything, people: true })
        const marked = people?.users.filter(({ pseudonym }) => pseudonym).map(({ name }) => name)
        assert.deepEqual(marked, ['~pseudonym'])
      })
    })

    test('without hosts, what stopped the hosts of permissions is not known', async (t) => {
      const { sources, truth, run } = await month(t, database)
      await run(`update journal_stop set host = null`)
      // The hosts of a rule are one now.
      await run(`create table sums as select hour, verdict, rule_name, category, list_name, sum(requests) as requests
        from journal_total group by hour, verdict, rule_name, category, list_name`)
      await run('delete from journal_total')
      await run(`insert into journal_total (hour, verdict, rule_name, category, list_name, host, requests)
        select hour, verdict, rule_name, category, list_name, '', requests from sums`)
      await run('drop table sums')
      const report = await createReport(sources, school, zone, { ...everything, hosts: false })
      assert.deepEqual(report.requests, truth.requests)
      const { host, times } = PLANTED.permitted
      assert.deepEqual(report.permissions, { granted: times, hosts: [{ host, granted: times, stopped: null }] })
      const [unknown, ...others] = report.over_blocking.causes
      const none = { rule: null, category: null, list: null, stopped: null }
      assert.deepEqual(unknown, { ...none, permissions: times, acknowledgements: 0 })
      // Those go by the reference.
      const acknowledged = others.map(({ rule, acknowledgements }) => [rule, acknowledgements] as const)
      assert.deepEqual(sorted(acknowledged), sorted(truth.acceptedBy))
      assert.ok(others.every(({ stopped }) => (stopped ?? 0) > 0))
    })

    test('that over-blocking counts not all permissions, or not all acknowledgements', async (t) => {
      const { sources, run } = await openTables(t, await database.create(t))
      /** With ids of this name. */
      const insert = (name: string, count: number, columns: string, row: (number: number) => string) =>
        run(`insert into engine_event (id, at, event, ${columns})
          values ${Array.from({ length: count }, (_, number) => `('${name} ${number}', ${everything.period.since}, ${row(number)})`)}`)
      const overBlocking = async () => (await createReport(sources, school, zone, everything)).over_blocking
      await insert('host', 500, 'host', (number) => `'permission.granted', 'h${number}.example'`)
      assert.equal((await overBlocking()).cut, false)
      await insert('one more', 1, 'host', () => `'permission.granted', 'h500.example'`)
      const permitted = await overBlocking()
      assert.deepEqual([permitted.causes.map(({ permissions }) => permissions), permitted.cut], [[500], true])
      await run('delete from engine_event')
      const accept = (name: string, count: number) =>
        insert(name, count, 'outcome, rule_name, reference', (number) => {
          return `'acknowledgement', 'accepted', 'social', '${name} ${number}'`
        })
      for (let part = 0; part < 5; part++) await accept(`part ${part}`, 20_000)
      assert.equal((await overBlocking()).cut, false)
      await accept('one more', 1)
      const acknowledged = await overBlocking()
      const counts = acknowledged.causes.map(({ acknowledgements }) => acknowledgements)
      assert.deepEqual([counts, acknowledged.cut], [[100_000], true])
    })

    test('an empty journal', async (t) => {
      const { sources } = await openTables(t, await database.create(t))
      const report = await createReport(sources, school, zone, { ...everything, people: true })
      assert.deepEqual(report.requests, { block: 0, warn: 0, aup: 0, allow: 0 })
      assert.equal(report.days.length, 31)
      assert.equal(report.busiest, null)
      assert.deepEqual(report.over_blocking, { causes: [], lists: [], cut: false })
      assert.deepEqual(report.people, { users: [], clients: [], groups: [] })
    })
  })
}

async function month(t: Parameters<TestDatabase['create']>[0], database: TestDatabase) {
  const tables = await openTables(t, await database.create(t))
  const events = schoolMonth()
  await writeSchoolMonth(tables.db, events)
  return { ...tables, truth: schoolTruth(events) }
}

function named(entries: ReportContent['lists']['top']) {
  return entries.map(({ name, requests }) => [name, requests] as const)
}

function sorted<Key>(counts: Iterable<readonly [Key, number]>) {
  return [...counts].sort(([one], [other]) => String(one).localeCompare(String(other)))
}
