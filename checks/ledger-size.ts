// npm run check -- ledger-size: measures how long a PostgreSQL ledger with millions of generated acceptances takes to
// write, to query by time, to export and to prune.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openPruner } from '../src/gatewayctl/portal/acceptances/ledger/pruning.ts'
import { openReader } from '../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import { openLedger } from '../src/ledger/ledger.ts'
import { queryPostgres, startPostgres } from '../test/support/postgres-server.ts'
import { growthFaults, type LedgerCosts } from './ledger-growth.ts'

const USAGE = `Usage: npm run check -- ledger-size [options]

Fills ledgers of several sizes with generated acceptances (one attempt each, ten
per second of ledger time), and measures them. Prints Markdown. Exits with
status 1 when what an index finds takes longer in a larger ledger. It uses the
PostgreSQL among the npm packages; DATABASE_URL names another server, on which a
database is created and dropped.

  --rows N,N…   how many acceptances (50000,500000); 10,000,000 need about 12 GB
                of temporary space, and half an hour
  --help        this text

Example:
  npm run check -- ledger-size --rows 10000
`

const DAY_MS = 86_400_000
const PER_SECOND = 10
const STEP = 500_000
const LAST = Date.UTC(2026, 10, 20)
const EXPORTED = 50_000
const REPEATED = 200

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '50000,500000' }, help: { type: 'boolean', default: false } },
})
if (values.help) process.stdout.write(USAGE)
else {
  const sizes = values.rows.split(',').map(Number)
  if (!sizes.every((rows) => Number.isInteger(rows) && rows >= 1_000 && rows <= 1e9)) {
    process.stderr.write('--rows takes whole numbers from 1000, separated by commas\n')
    process.exit(2)
  }
  const measured: Measured[] = []
  for (const rows of sizes.toSorted((one, other) => one - other)) measured.push(await measure(rows))
  const columns = measured.map(({ shown }) => shown)
  const names = Object.keys(columns[0] ?? {})
  const line = (cells: readonly (string | undefined)[]) => `| ${cells.join(' | ')} |\n`
  process.stdout.write(line(['', ...sizes.map((rows) => `${rows.toLocaleString('en')} acceptances`)]))
  process.stdout.write(line(['---', ...sizes.map(() => '---:')]))
  for (const name of names) process.stdout.write(line([name, ...columns.map((column) => column[name])]))
  for (const fault of growthFaults(measured)) {
    process.stderr.write(`too much: ${fault}\n`)
    process.exitCode = 1
  }
}

interface Measured extends LedgerCosts {
  /** As text. */
  readonly shown: Readonly<Record<string, string>>
}

async function measure(rows: number): Promise<Measured> {
  const server = process.env.DATABASE_URL === undefined ? await startPostgres({ max_wal_size: '4GB' }) : undefined
  const serverUrl = server?.url ?? (process.env.DATABASE_URL as string)
  const database = `ledger_size_${process.pid}`
  await queryPostgres(serverUrl, `create database ${database}`)
  const url = Object.assign(new URL(serverUrl), { pathname: database }).href
  try {
    return await measureOn(url, rows)
  } finally {
    await queryPostgres(serverUrl, `drop database ${database} with (force)`)
    await server?.remove()
  }
}

async function measureOn(url: string, rows: number): Promise<Measured> {
  const location = { dialect: 'postgres', url } as const
  const ledger = await openLedger(location, { clock: Date.now, migrate: true })
  const first = LAST - (rows / PER_SECOND) * 1000
  const sql = (text: string) => queryPostgres(url, text)
  const result: Record<string, string> = {}
  const constant: Record<string, number> = {}
  const rates: Record<string, number> = {}
  /** The shortest of some times: other work on the machine only adds to it. */
  const constantTime = async (what: string, work: () => Promise<unknown>) => {
    const times: number[] = []
    while (times.length < 5) times.push(await seconds(work))
    constant[what] = Math.min(...times)
    result[what] = milliseconds(constant[what])
  }
  const rate = (what: string, rowsPerSecond: number) => {
    rates[what] = rowsPerSecond
    result[what] = `${Math.round(rowsPerSecond).toLocaleString('en')} rows/s`
  }

  const fillSeconds = await seconds(async () => {
    for (let from = 0; from < rows; from += STEP) await sql(fill(first, from, Math.min(rows, from + STEP) - 1))
  })
  rate('filling it', rows / fillSeconds)
  await sql('vacuum analyze')
  const [size] = await sql(`select pg_total_relation_size('acceptance') + pg_total_relation_size('attempt') as bytes`)
  const bytes = Math.round(Number(size?.bytes) / rows)
  result['an acceptance, tables and indexes'] = `${bytes} bytes`
  for (const index of ['acceptance_jti_key', 'acceptance_by_time', 'acceptance_by_state']) {
    const [one] = await sql(`select pg_relation_size('${index}') as bytes`)
    result[`\`${index}\``] = megabytes(one?.bytes)
  }
  await sql('create index by_time_brin on acceptance using brin (requested_at)')
  const [brin] = await sql(`select pg_relation_size('by_time_brin') as bytes`)
  result['the same by time, as BRIN'] = megabytes(brin?.bytes)
  const day = `requested_at >= '${iso(LAST - DAY_MS / 24)}' and requested_at < '${iso(LAST - DAY_MS / 48)}'`
  const counted = async () => milliseconds(await seconds(() => sql(`select count(*) from acceptance where ${day}`)))
  result['half an hour, counted by the B-tree'] = await counted()
  // Drops the other index for this one query.
  const withBrin = await seconds(() =>
    sql(`begin; drop index acceptance_by_time; select count(*) from acceptance where ${day}; rollback`),
  )
  result['half an hour, counted by BRIN'] = milliseconds(withBrin)
  await sql('drop index by_time_brin')

  const writing: number[] = []
  for (let number = 0; number < REPEATED; number++) {
    writing.push(
      await seconds(async () => {
        const attempt = await ledger.beginAttempt({
          reference: randomBytes(16).toString('base64url'),
          ruleName: 'social-media-policy',
          policyVersion: '2026-11-20',
          documentSha256: 'e9559fd632e1db83276534eb6bace942ced775cca393d88b580e81b946e6f45a',
          documentSource: 'shown',
          locale: 'de',
          portalVersion: '2026.47.0-IR',
          clientAddress: undefined,
        })
        if (attempt !== 'exhausted') await ledger.completeAttempt(attempt, 302)
      }),
    )
  }
  writing.sort((a, b) => a - b)
  // The quickest tenth: other work on the machine only adds to it.
  constant['an acknowledgement, both commits'] = writing[REPEATED / 10] ?? 0
  result['an acknowledgement, both commits: median'] = milliseconds(writing[REPEATED / 2] ?? 0)
  result['… 95 %'] = milliseconds(writing[REPEATED * 0.95] ?? 0)
  await constantTime('what waits, counted', () => ledger.waiting())

  const reader = await openReader(location, Date.now)
  const [middle] = await sql(`select jti from acceptance where requested_at >= '${iso((first + LAST) / 2)}' limit 1`)
  await constantTime('one, by its reference', () => reader.find(`${middle?.jti}`))
  const period = { since: iso(LAST - DAY_MS / 24), until: iso(LAST - DAY_MS / 48) }
  await constantTime('the newest 50 of half an hour, and how many', () => reader.newest(period, 50))
  result['the newest 50 of all, and how many'] = milliseconds(await seconds(() => reader.newest({}, 50)))
  let exported = 0
  const exporting = await seconds(async () => {
    for await (const batch of reader.everyWithAttempts({ since: iso((first + LAST) / 2) })) {
      exported += batch.length
      if (exported >= EXPORTED) break
    }
  })
  rate('exporting, with attempts', exported / exporting)
  await reader.close()

  const pruner = await openPruner(location)
  const before = iso(first + (Math.min(rows / 2, EXPORTED) / PER_SECOND) * 1000)
  let pruned = 0
  const pruning = await seconds(async () => {
    for await (const batch of pruner.prune(before)) pruned += batch
  })
  rate('pruning, the pauses included', pruned / pruning)
  await pruner.close()
  await ledger.close()
  return { shown: result, rows, bytes, constant, rates }
}

/** Acceptances as a portal writes them: time-ordered ids, random references. */
function fill(first: number, from: number, to: number): string {
  return `
    set synchronous_commit = off;
    create temporary table generated as
      select lpad(to_hex(t), 12, '0') as time, md5(n::text || 'a') as random, t,
        translate(left(encode(decode(md5(n::text), 'hex'), 'base64'), 22), '+/', '-_') as jti,
        to_char(to_timestamp(t / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
      from (select n, ${first} + n::bigint * ${1000 / PER_SECOND} as t from generate_series(${from}, ${to}) as n) as times;
    insert into acceptance
      select left(time, 8) || '-' || right(time, 4) || '-7' || left(random, 3) || '-8' || substr(random, 4, 3) || '-' ||
          substr(random, 7, 12), jti, 'social-media-policy', '2026-11-20',
        'e9559fd632e1db83276534eb6bace942ced775cca393d88b580e81b946e6f45a', 'shown', 'de',
        'accepted', at, at, 302, 1, '2026.47.0-IR', null
      from generated order by t;
    insert into attempt
      select left(time, 8) || '-' || right(time, 4) || '-7' || right(random, 3) || '-9' || substr(random, 4, 3) || '-' ||
          substr(random, 9, 12), jti, at, at, 302, '2026-11-20',
        'e9559fd632e1db83276534eb6bace942ced775cca393d88b580e81b946e6f45a', 'de', 'shown', null
      from generated order by t;
    drop table generated`
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function milliseconds(value: number): string {
  return `${(value * 1000).toFixed(value < 0.1 ? 1 : 0)} ms`
}

function megabytes(bytes: unknown): string {
  return `${(Number(bytes) / 1e6).toFixed(1)} MB`
}
