// `npm run check -- journal-scale`: whether the journal on PostgreSQL stays quick to write and query as it grows. It fills stops of two
// weeks, and measures by the program's own statements at the beginning, in between and at the end.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isDictated } from '../src/contract/reference.ts'
import { createJournalDatabase, type JournalDatabase } from '../src/engine/journal/journal-database.ts'
import { DAY_MS } from '../src/engine/journal/pseudonyms.ts'
import { retain } from '../src/engine/journal/retention.ts'
import type { StopRow } from '../src/engine/journal/rows.ts'
import { DICTATED } from '../src/engine/journal/schema.ts'
import { writeBatch } from '../src/engine/journal/write-batch.ts'
import { ensureKeyFile } from '../src/engine/state/key-file.ts'
import { openState } from '../src/engine/state/open-state.ts'
import { noPostgres, postgresLocation, queryPostgres, startPostgres } from '../test/support/postgres-server.ts'
import { median } from './statistics.ts'

/** As a check that this machine cannot run. */
const EXIT_CANNOT_RUN = 77
const DAYS = 14
const NOW = Date.UTC(2026, 10, 20, 12)
const BATCH = 500
const STEPS = 4
const REPEATED = 40
/** Milliseconds: what somebody who asks does not notice. On a busy machine it was longer at the beginning, too. */
const MOST = { reference: 50, recent: 250, batch: 250, retention: 250 }

const HELP = `Usage: npm run check -- journal-scale [--rows N]

Fills a journal on PostgreSQL, and exits with status 1 when a batch of 500 rows,
a look-up by reference, the last ten minutes, or a batch of retention takes
longer at the end than ${MOST.reference} to ${MOST.batch} ms and twice as long as at the beginning.

  --rows N  how many rows (4,000,000); a million takes about 20 s and 0.4 GB
  --help    this text

Example:
  npm run check -- journal-scale --rows 1000000
`

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '4000000' }, help: { type: 'boolean', default: false } },
})
if (values.help) process.stdout.write(HELP, () => process.exit(0))
else if (noPostgres) process.stderr.write(`${noPostgres}\n`, () => process.exit(EXIT_CANNOT_RUN))
else process.exit(await run(Number(values.rows)))

async function run(rows: number): Promise<number> {
  // As an administrator sets a server up for this size; commits are durable.
  const server = await startPostgres({ max_wal_size: '4GB', shared_buffers: '512MB', checkpoint_timeout: '15min' })
  const location = postgresLocation(server.url)
  const database = createJournalDatabase(location)
  try {
    await database.open()
    const first: Figures = await measure(database, 0)
    let figures = first
    for (let step = 1; step <= STEPS; step++) {
      const startedAt = performance.now()
      await fill(server.url, rows, step)
      const perSecond = rows / STEPS / ((performance.now() - startedAt) / 1000)
      figures = await measure(database, (rows / STEPS) * step)
      process.stdout.write(`  ${Math.round(perSecond).toLocaleString('en')} rows/s while filling\n`)
    }
    const [sizes] = await queryPostgres(
      server.url,
      `select (select count(*) from journal_stop) as rows, pg_total_relation_size('journal_stop') as stops, pg_indexes_size('journal_stop') as indexes,
        pg_total_relation_size('journal_total') as totals`,
    )
    const perRow = (bytes: unknown) => `${Math.round(Number(bytes) / Number(sizes?.rows))} bytes`
    process.stdout.write(
      `a stop: ${perRow(sizes?.stops)}, of these ${perRow(sizes?.indexes)} of indexes; totals: ${perRow(sizes?.totals)}\n`,
    )
    figures.retention = await measureRetention(database, server.url, location)
    process.stdout.write(`retention, 500 rows deleted or 100 hashed: ${figures.retention.toFixed(1)} ms each\n`)
    const late = Object.entries(MOST).filter(([name, most]) => {
      const [before, after] = [first, figures].map((one) => one[name as keyof typeof MOST] ?? 0) as [number, number]
      return after > most && after > 2 * before
    })
    for (const [name, most] of late) process.stdout.write(`${name} takes longer than ${most} ms\n`)
    return late.length === 0 ? 0 : 1
  } finally {
    await database.close()
    await server.remove()
  }
}

/** A part of two weeks, in order, by 5,000 clients and 2,000 users, for 20,000 hosts. */
async function fill(url: string, rows: number, step: number): Promise<void> {
  const [part, span] = [rows / STEPS, (DAYS * DAY_MS) / STEPS]
  const begin = NOW - DAYS * DAY_MS + span * (step - 1)
  await queryPostgres(
    url,
    `insert into journal_stop
     select ${begin} + (n * ${span}::float8 / ${part})::bigint, 
       substr(translate(encode(sha256((n * ${STEPS} + ${step})::text::bytea), 'base64'), '+/', '-_'), 1, 22),
       'block', 'rule-' || n % 20, 'Category ' || n % 20, 'list-' || n % 20, 'h' || n % 20000 || '.example',
       'www.h' || n % 20000 || '.example', '10.0.' || n % 5000 / 250 || '.' || n % 250,
       case when n % 3 = 0 then 'user' || n % 2000 end, 'pupils', case when ${step} <= 3 then 1 end
     from generate_series(1, ${part}) as n;
     insert into journal_total
     select hour * 3600000, 'block', 'rule-' || rule, 'Category ' || rule, 'list-' || rule, 'www.h' || host || '.example', 3
     from generate_series(${begin} / 3600000, ${begin + span} / 3600000) as hour, generate_series(0, 19) as rule,
       generate_series(1, 50) as host
     on conflict do nothing; analyze journal_stop, journal_total`,
  )
}

interface Figures {
  readonly batch: number
  readonly reference: number
  readonly recent: number
  retention?: number
}

async function measure(database: JournalDatabase, rows: number): Promise<Figures> {
  const references = newReferences(BATCH)
  const batch = await timesOf(REPEATED, async (number) => {
    const stops = Array.from({ length: BATCH }, (_, index) => stopRow(number, index, references))
    await database.run('be written', (transaction) => writeBatch(transaction, 'postgres', { stops, allowed: [] }))
  })
  const reference = await timesOf(REPEATED, async (number) => {
    const dictated = (references[number] as string).slice(0, 8).toLowerCase()
    const found = await database.read('be read', (transaction) =>
      transaction.selectFrom('journal_stop').selectAll().where(DICTATED, '=', dictated).execute(),
    )
    if (!found.some((row) => isDictated(row.reference, dictated))) throw new Error('a row is not found')
  })
  const recent = await timesOf(REPEATED, async () => {
    await database.read('be read', (transaction) =>
      transaction
        .selectFrom('journal_stop')
        .selectAll()
        .where('at', '>', NOW - 600_000)
        .orderBy('at', 'desc')
        .limit(1000)
        .execute(),
    )
  })
  process.stdout.write(
    `${rows.toLocaleString('en')} rows: a batch of ${BATCH} in ${batch.toFixed(1)} ms, a reference in ${reference.toFixed(1)} ms, the last ten minutes in ${recent.toFixed(1)} ms\n`,
  )
  return { batch, reference, recent }
}

function newReferences(count: number): readonly string[] {
  return Array.from({ length: count }, () => randomBytes(16).toString('base64url'))
}

function stopRow(number: number, index: number, references: readonly string[]): StopRow {
  const reference = number === 0 ? references[index] : randomBytes(16).toString('base64url')
  const client = `10.0.${index % 20}.${index % 250}`
  return [
    ...([NOW + number * 1000 + index, String(reference), 'block', `rule-${index % 20}`, 'Category 1', 'list'] as const),
    ...([`h${index}.example`, `www.h${index}.example`, client, `user${index}`, 'pupils', null] as const),
    NOW - (NOW % 3_600_000),
  ]
}

/** The median in milliseconds. */
async function timesOf(times: number, work: (number: number) => Promise<void>): Promise<number> {
  const taken: number[] = []
  for (let number = 0; number < times; number++) {
    const startedAt = performance.now()
    await work(number)
    taken.push(performance.now() - startedAt)
  }
  return median(taken)
}

/** Milliseconds for each batch, when a day is over: its rows are deleted, and another day's hashed. */
async function measureRetention(
  database: JournalDatabase,
  url: string,
  location: ReturnType<typeof postgresLocation>,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'journal-scale-'))
  const keys = await ensureKeyFile(join(folder, 'state.key'))
  rmSync(folder, { recursive: true })
  const state = await openState({ location, keys, clock: Date.now, log: { info() {}, warn() {} } })
  let batches = 0
  const counting: JournalDatabase = {
    ...database,
    run(purpose, work) {
      batches++
      return database.run(purpose, work)
    },
  }
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
  }, 20_000)
  const startedAt = performance.now()
  await queryPostgres(url, 'insert into journal_key values (1, 0, $$k$$) on conflict do nothing')
  await retain(
    {
      ...{ database: counting, settings: { days: DAYS, personDays: 3 }, isStopping: () => isOver },
      events: { dialect: 'postgres', transactions: state.transactions },
    },
    NOW + DAY_MS / 4,
  )
  clearTimeout(timer)
  const each = (performance.now() - startedAt) / batches
  await state.close()
  return each
}
