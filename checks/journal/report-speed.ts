// `npm run check -- report-speed`: a report about ten million stopped requests, with acknowledgements, permissions and lists, whose
// totals are known because SQL generates them, on SQLite and on PostgreSQL. It must state exactly these totals, in seconds.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { parseBound, periodOf } from '../../src/engine/journal/report/period.ts'
import { createReport, type ReportContent } from '../../src/engine/journal/report/report.ts'
import { zoneClock } from '../../src/engine/policy/schedule/zone-clock.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { openTables } from '../../test/engine/journal/report-tables.ts'
import { configure, policy } from '../../test/engine/running-engine.ts'
import {
  noPostgres,
  postgresLocation,
  postgresUrl,
  queryPostgres,
  startPostgres,
} from '../../test/support/postgres-server.ts'
import { rule } from '../../test/support/rules.ts'

/** What it generates is a multiple of this: each hour, host, rule, list, category and user then has a whole number. */
const UNIT = 840_000
const [HOURS, RULES, LISTS, CATEGORIES] = [140, 20, 10, 4]
const [FREQUENT_HOSTS, RARE_HOSTS, USERS, GROUPS] = [200, 20_000, 2_000, 40]
/** Verdicts that visitors acknowledge: those of the last five rules. Each rule has as many. */
const [ACKNOWLEDGEMENTS, ACKNOWLEDGED_RULES] = [20_000, 5]
/** One for each frequent host, some for everything below a rare one, and some for hosts that nothing stopped. */
const PERMITTED = { frequent: FREQUENT_HOSTS, rare: 80, never: 20 }
const TIMEZONE = 'Etc/UTC'
const [SINCE, UNTIL] = ['2026-11-01', '2026-11-15']
/** Seconds: the statements of a report without people, and with them. */
const MOST = { report: 20, people: 90 }

/**
 * Each list that stops hosts, and one that names half of its frequent hosts and all of its rare ones: the other half, nothing else
 * names.
 */
const POLICY = configure(
  policy(
    [
      ...Array.from({ length: RULES }, (_, at) =>
        rule(
          `rule ${at}`,
          at < 15 ? 'block' : at < 18 ? 'warn' : 'aup',
          `lists = ["list ${at % LISTS}"]`,
          `match = ["named-${at}.example"]`,
          `category = "category ${at % CATEGORIES}"`,
        ),
      ),
      ...['list', 'other'].flatMap((kind) =>
        Array.from({ length: LISTS }, (_, at) => `[[lists]]\nname = "${kind} ${at}"\npath = "${kind}-${at}.txt"\n`),
      ),
    ].join('\n'),
  ),
  {},
  Object.fromEntries(
    Array.from({ length: LISTS }, (_, at) => {
      const hosts = (kind: string, count: number, step: number) =>
        Array.from({ length: count / step }, (_, index) => `${kind}-${at + index * step}.example`)
      const rare = hosts('rare', RARE_HOSTS, LISTS)
      return [
        [`list ${at}`, [...hosts('frequent', FREQUENT_HOSTS, LISTS), ...rare]],
        [`other ${at}`, [...hosts('frequent', FREQUENT_HOSTS, 2 * LISTS), ...rare]],
      ] as const
    }).flat(),
  ),
).policy

const HELP = `Usage: npm run check -- report-speed [--rows N]

Generates stopped requests of two weeks, acknowledgements and permissions with
known totals, on SQLite and on PostgreSQL, and exits with status 1 when a report
states others, or takes longer than ${MOST.report} s, or ${MOST.people} s with people.

  --rows N  how many stopped requests, rounded down to ${UNIT} (10,080,000)
  --help    this text

Example:
  npm run check -- report-speed --rows 1680000
`

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '10080000' }, help: { type: 'boolean', default: false } },
})
if (values.help) process.stdout.write(HELP, () => process.exit(0))
else process.exit(await run(Math.max(1, Math.floor(Number(values.rows) / UNIT)) * UNIT))

async function run(rows: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'report-speed-'))
  const isLate = []
  try {
    isLate.push(await measure('SQLite', { dialect: 'sqlite', path: join(folder, 'journal.db') }, rows))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (noPostgres) process.stdout.write(`PostgreSQL: ${noPostgres}\n`)
  else {
    const server = await startPostgres({ max_wal_size: '4GB', shared_buffers: '256MB', checkpoint_timeout: '15min' })
    try {
      isLate.push(await measure('PostgreSQL', postgresLocation(server.url), rows))
    } finally {
      await server.remove()
    }
  }
  return isLate.includes(true) ? 1 : 0
}

/** @returns whether it took too long */
async function measure(name: string, location: DatabaseLocation, rows: number): Promise<boolean> {
  const closers: (() => unknown)[] = []
  const tables = await openTables({ after: (close) => void closers.push(close as () => unknown) }, location)
  try {
    let startedAt = performance.now()
    const seconds = () => (performance.now() - startedAt) / 1000
    await execute(location, fill(location.dialect, rows))
    process.stdout.write(`${name}: ${rows.toLocaleString('en')} stops, generated in ${seconds().toFixed(0)} s\n`)
    const report = await createReport(tables.sources, POLICY, zone(), wanted(false))
    startedAt = performance.now()
    const second = await createReport(tables.sources, POLICY, zone(), wanted(false))
    const taken = { report: seconds(), people: 0 }
    assertTotals(second, rows)
    assertOverBlocking(second, rows)
    startedAt = performance.now()
    const { people } = await createReport(tables.sources, POLICY, zone(), wanted(true))
    taken.people = seconds()
    assert.deepEqual(people?.users.length, 20)
    assert.ok(people?.users.every(({ requests }) => requests === rows / USERS))
    assert.ok(people?.groups.every(({ requests }) => requests === rows / GROUPS))
    assert.equal(report.days.length, 14)
    process.stdout.write(`  report ${taken.report.toFixed(1)} s, with people ${taken.people.toFixed(1)} s\n`)
    return taken.report > MOST.report || taken.people > MOST.people
  } finally {
    for (const close of closers) await close()
  }
}

/** On a connection without a time limit; on SQLite, indexes are created once there are rows: that takes half of the time. */
async function execute(location: DatabaseLocation, statements: readonly string[]): Promise<void> {
  if (location.dialect === 'postgres') {
    for (const statement of statements) await queryPostgres(postgresUrl(location), statement)
    return
  }
  using database = new DatabaseSync(location.path)
  database.exec('pragma synchronous = off; pragma cache_size = -200000')
  const indexes = database
    .prepare(`select name, sql from sqlite_master where type = 'index' and tbl_name = 'journal_stop'`)
    .all()
  for (const { name } of indexes) database.exec(`drop index ${name}`)
  for (const statement of statements) database.exec(statement)
  for (const { sql } of indexes) database.exec(`${sql}`)
}

function zone() {
  return zoneClock(TIMEZONE) ?? assert.fail()
}

function wanted(people: boolean) {
  const [since, until] = [SINCE, UNTIL].map((text) => parseBound(text, TIMEZONE, 0) ?? assert.fail())
  return { period: (since && until && periodOf(since, until)) ?? assert.fail(), top: 20, people, hosts: true }
}

/** Ten hours of each day, each with every host. */
function fill(dialect: DatabaseLocation['dialect'], rows: number): readonly string[] {
  const perHour = rows / HOURS
  const begin = Date.parse(`${SINCE}T00:00Z`)
  const hour = `(${begin} + n / ${perHour} / 10 * 86400000 + (7 + n / ${perHour} % 10) * 3600000)`
  const host = `case when n % 2 = 0 then n / 2 % ${FREQUENT_HOSTS} else n / 2 % ${RARE_HOSTS} end`
  // In SQLite, `||` binds more tightly than `%`.
  const rule = `((${host}) % ${RULES})`
  const series = (count: number) =>
    dialect === 'sqlite'
      ? `(with recursive series (n) as (select 0 union all select n + 1 from series where n < ${count - 1}) select n from series)`
      : `(select n from generate_series(0::bigint, ${count - 1}) as series (n))`
  const reference = (number: string) =>
    `${dialect === 'sqlite' ? `printf('%08x', ${number})` : `lpad(to_hex(${number}), 8, '0')`} || 'aaaaaaaaaaaaaa'`
  // Two requests after each other are for hosts of the same rule, the next two of the next one.
  const acknowledgedRule = `(${RULES - ACKNOWLEDGED_RULES} + n % ${ACKNOWLEDGED_RULES})`
  const spread = Math.floor(rows / (2 * RULES * ACKNOWLEDGEMENTS))
  const acknowledged = `(2 * (n * ${spread * RULES} + ${acknowledgedRule}))`
  const { frequent, rare, never } = PERMITTED
  const permitted = `case when n < ${frequent} then 'frequent-' || n
    when n < ${frequent + rare} then '.rare-' || (n - ${frequent}) else 'never-' || n end || '.example'`
  const minute = `${begin} + n * 60000`
  return [
    `insert into journal_stop (at, reference, verdict, rule_name, category, list_name, entry, host, client, user_name, group_name)
     select ${hour} + n % ${perHour} * 3600000 / ${perHour}, ${reference('n')},
       case when ${rule} < 15 then 'block' when ${rule} < 18 then 'warn' else 'aup' end,
       'rule ' || ${rule}, 'category ' || (${rule} % ${CATEGORIES}), 'list ' || (${rule} % ${LISTS}), null,
       case when n % 2 = 0 then 'frequent-' else 'rare-' end || (${host}) || '.example',
       '10.0.' || (n % ${USERS} / 250) || '.' || (n % ${USERS} % 250), 'user ' || (n % ${USERS}), 'group ' || (n % ${GROUPS})
     from ${series(rows)} as numbers`,
    `insert into journal_total (hour, verdict, rule_name, category, list_name, host, requests)
     select at - at % 3600000, verdict, rule_name, category, list_name, host, count(*) from journal_stop
     group by at - at % 3600000, verdict, rule_name, category, list_name, host`,
    `insert into engine_event (id, at, event, outcome, reference, rule_name)
     select 'acknowledgement ' || n, ${minute}, 'acknowledgement', 'accepted', ${reference(acknowledged)}, 'rule ' || ${acknowledgedRule}
     from ${series(ACKNOWLEDGEMENTS)} as numbers`,
    `insert into engine_event (id, at, event, host)
     select 'permission ' || n, ${minute}, 'permission.granted', ${permitted} from ${series(frequent + rare + never)} as numbers`,
    ...(dialect === 'postgres' ? ['analyze journal_stop, journal_total, engine_event'] : []),
  ]
}

function assertTotals(report: ReportContent, rows: number): void {
  const perRule = rows / RULES
  assert.deepEqual(report.requests, { block: 15 * perRule, warn: 3 * perRule, aup: 2 * perRule, allow: 0 })
  for (const { block, warn, aup } of report.days) assert.equal(block + warn + aup, rows / 14)
  const entries = (all: readonly { readonly requests: number }[]) => new Set(all.map(({ requests }) => requests))
  assert.equal(report.rules.top.length, RULES)
  assert.deepEqual(entries(report.rules.top), new Set([perRule]))
  assert.deepEqual(entries(report.lists.top), new Set([rows / LISTS]))
  assert.deepEqual(entries(report.categories.top), new Set([rows / CATEGORIES]))
  assert.deepEqual(entries(report.hosts), new Set([rows / 2 / FREQUENT_HOSTS]))
  assert.equal(report.busiest?.stopped, rows / HOURS)
}

function assertOverBlocking({ acknowledgements, permissions, over_blocking }: ReportContent, rows: number): void {
  const perRule = rows / RULES
  const perFrequent = rows / 2 / FREQUENT_HOSTS
  const { frequent, rare, never } = PERMITTED
  assert.equal(acknowledgements.accepted, ACKNOWLEDGEMENTS)
  assert.equal(permissions.granted, frequent + rare + never)
  const { causes, lists, cut } = over_blocking
  assert.equal(cut, false)
  const [unknown, ...others] = causes
  const none = { rule: null, category: null, list: null, stopped: 0, acknowledgements: 0 }
  assert.deepEqual(unknown, { ...none, permissions: never })
  // One more does not fit into the table.
  assert.equal(others.length, RULES - 1)
  for (const [at, { rule, category, list, ...counts }] of others.entries()) {
    const number = Number(rule?.replace('rule ', ''))
    assert.deepEqual([category, list], [`category ${number % CATEGORIES}`, `list ${number % LISTS}`])
    const isAcknowledged = number >= RULES - ACKNOWLEDGED_RULES
    assert.equal(isAcknowledged, at < ACKNOWLEDGED_RULES)
    assert.deepEqual(counts, {
      stopped: perRule,
      permissions: (frequent + rare) / RULES,
      acknowledgements: isAcknowledged ? ACKNOWLEDGEMENTS / ACKNOWLEDGED_RULES : 0,
    })
  }
  assert.equal(lists.length, LISTS)
  const frequentHosts = FREQUENT_HOSTS / LISTS
  for (const { list, stopped, asked, alone, hosts } of lists) {
    assert.equal(stopped, rows / LISTS)
    assert.equal(asked, frequentHosts * perFrequent + (100 - frequentHosts) * (rows / 2 / RARE_HOSTS))
    assert.equal(alone, (frequentHosts / 2) * perFrequent)
    const number = Number(list.replace('list ', '')) + LISTS
    const expected = Array.from({ length: frequentHosts / 2 }, (_, at) => `frequent-${number + at * 2 * LISTS}.example`)
    assert.deepEqual(hosts.map(({ host }) => host).sort(), expected.sort())
    assert.ok(hosts.every(({ requests }) => requests === perFrequent))
  }
}
