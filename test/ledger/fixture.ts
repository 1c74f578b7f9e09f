// Shared by the ledger's tests: requests, replicas that close after the test, faults, and the assertion about failures.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { AcceptanceRequest, Attempt } from '../../src/ledger/acceptances.ts'
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts'
import { LedgerUnavailable } from '../../src/ledger/ledger-unavailable.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { query } from '../support/databases.ts'
import { postgresUrl } from '../support/postgres-server.ts'

export const NOW = Date.UTC(2026, 10, 20, 12)

export const newReference = (): string => randomBytes(16).toString('base64url')

/** An acknowledgement of a new verdict, with the test's changes. */
export function acceptanceRequest(changes: Partial<AcceptanceRequest> = {}): AcceptanceRequest {
  return {
    reference: newReference(),
    ruleName: 'rule-example',
    policyVersion: '2026-11-20',
    documentSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    documentSource: 'shown',
    locale: 'de',
    portalVersion: '2026.47.0-IR',
    clientAddress: undefined,
    ...changes,
  }
}

/** A ledger for tests that stay below the limit of attempts. */
export interface Replica extends Ledger {
  beginAttempt(request: AcceptanceRequest): Promise<Attempt>
}

/** A portal's ledger; closed after the test. */
export async function openReplica(
  t: Cleanup,
  location: DatabaseLocation,
  clock: () => number = () => NOW,
  monotonic: () => number = () => performance.now(),
): Promise<Replica> {
  const ledger = await openLedger(location, { clock, monotonic, migrate: true })
  t.after(() => ledger.close())
  return { ...ledger, beginAttempt: async (request) => begun(await ledger.beginAttempt(request)) }
}

export function begun(attempt: Attempt | 'exhausted'): Attempt {
  return attempt === 'exhausted' ? assert.fail('the verdict has all of its attempts') : attempt
}

/** The stored acceptance; undefined if there is none. */
export async function storedAcceptance(location: DatabaseLocation, reference: string) {
  const rows = await query(location, `select * from acceptance where jti = '${reference}'`)
  assert.ok(rows.length <= 1)
  return rows[0]
}

export async function storedAttempts(location: DatabaseLocation, reference: string) {
  return await query(location, `select * from attempt where jti = '${reference}' order by id`)
}

/** Makes every statement of one kind fail until the returned function is called. */
export async function raiseFault(location: DatabaseLocation, event: string, table: string) {
  if (location.dialect === 'sqlite') {
    await query(location, `create trigger fault before ${event} on ${table} begin select raise(abort, 'a fault'); end`)
    return () => query(location, 'drop trigger fault')
  }
  await query(
    location,
    `create function fault() returns trigger language plpgsql as $$ begin raise exception 'a fault'; end $$;
     create trigger fault before ${event} on ${table} for each row execute function fault()`,
  )
  return () => query(location, `drop trigger fault on ${table}; drop function fault`)
}

/** Blocks writers until the returned function is called. */
export async function lockOut(location: DatabaseLocation) {
  if (location.dialect === 'sqlite') {
    const database = new DatabaseSync(location.path)
    database.exec('begin immediate')
    return async () => database.close()
  }
  const client = new pg.Client({ connectionString: postgresUrl(location) })
  // The database may be dropped first.
  client.on('error', () => {})
  await client.connect()
  await client.query('begin; lock table acceptance in access exclusive mode')
  return () => client.end()
}

/** Delays every new attempt by at least this many milliseconds. */
export async function slowDown(location: DatabaseLocation, milliseconds: number): Promise<void> {
  if (location.dialect === 'sqlite') {
    await query(location, `create trigger slow before insert on attempt begin ${busyFor(milliseconds)}; end`)
    return
  }
  await query(
    location,
    `create function slow() returns trigger language plpgsql as $$
       begin perform pg_sleep(${milliseconds / 1_000}); return new; end $$;
     create trigger slow before insert on attempt for each row execute function slow()`,
  )
}

/** SQL that keeps SQLite on this machine busy for at least about this many milliseconds. */
function busyFor(milliseconds: number): string {
  const count = (rows: number) =>
    `select count(*) from (with recursive n(x) as (select 1 union all select x + 1 from n where x < ${rows}) select x from n)`
  using database = new DatabaseSync(':memory:')
  const statement = database.prepare(count(1_000_000))
  // The fastest of several runs: other work on the machine may slow down the first.
  const runs = Array.from({ length: 5 }, () => {
    const started = performance.now()
    statement.get()
    return performance.now() - started
  })
  return count(Math.ceil((1_000_000 * milliseconds) / Math.min(...runs)))
}

/** Asserts that it rejects with LedgerUnavailable within 3 s. */
export async function assertUnavailable(work: Promise<unknown>, because?: RegExp): Promise<void> {
  const started = performance.now()
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof LedgerUnavailable, `${error}`)
    if (because !== undefined) assert.match(error.message, because)
    return true
  })
  const elapsed = performance.now() - started
  assert.ok(elapsed < 3_000, `failed after ${elapsed} ms`)
}
