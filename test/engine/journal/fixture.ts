// Shared by the tests of the journal: one that closes after the test, with a clock that the test moves, and what it has.
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Journal, JournalSettings } from '../../../src/engine/journal/journal.ts'
import { type JournalOptions, openJournal } from '../../../src/engine/journal/open-journal.ts'
import {
  createStoppedRequests,
  type StoppedRequest,
  type StopRecord,
} from '../../../src/engine/monitoring/stopped-requests.ts'
import { createTally } from '../../../src/engine/monitoring/tally.ts'
import { zoneClock } from '../../../src/engine/policy/schedule/zone-clock.ts'
import type { DatabaseLocation } from '../../../src/settings/sections/database.ts'
import { query } from '../../support/databases.ts'
import { rule } from '../../support/rules.ts'
import { type RecordedLog, recordLog } from '../recorded-log.ts'
import { requestFor } from '../request-for.ts'
import { configure, policy } from '../running-engine.ts'
import { openEngine } from '../state/fixture.ts'

export const DAY = 86_400_000
/** 2026-11-20T08:20:00Z: in Kolkata, half an hour from UTC, ten minutes to two. */
export const START = Date.UTC(2026, 10, 20, 8, 20)
export const SETTINGS: JournalSettings = { days: 14, personDays: 3, hosts: true }

const POLICY = configure(
  policy(`
  ${rule('gambling', 'block', 'lists = ["casinos"]', 'category = "Gambling"')}
  ${rule('news', 'warn', 'match = ["news.example"]')}
  [[lists]]
  name = "casinos"
  path = "casinos.txt"
  [groups]
  pupils = { users = ["anna"] }
  all = { users = ["anna", "ben"] }
`),
).policy

export interface TestJournal extends Journal {
  readonly log: RecordedLog
  readonly tally: ReturnType<typeof createTally>
  /** Moves the clock on. */
  pass(milliseconds: number): void
  /** Moves the clock, but no time passes. */
  setForward(milliseconds: number): void
}

interface Options extends Partial<Omit<JournalOptions, 'settings' | 'log' | 'clock'>> {
  readonly settings?: Partial<JournalSettings>
  /** Milliseconds since the epoch. */
  readonly at?: number
}

/** The state is in the same database, or next to the journal's file. */
export async function openTestJournal(
  t: TestContext,
  location: DatabaseLocation,
  { at = START, settings, ...options }: Options = {},
): Promise<TestJournal> {
  let [now, passed] = [at, 0]
  const stateLocation = stateOf(location)
  const log = recordLog()
  const tally = createTally()
  const journal = openJournal({
    ...{ location, stateLocation, tally, policies: { current: POLICY }, clock: () => now, monotonic: () => passed },
    state: options.state ?? (await openEngine(t, stateLocation)),
    zone: zoneClock('Asia/Kolkata') as NonNullable<ReturnType<typeof zoneClock>>,
    ...options,
    settings: { ...SETTINGS, ...settings },
    log: log.log,
  })
  t.after(() => journal.close())
  return {
    ...journal,
    get status() {
      return journal.status
    },
    log,
    tally,
    pass(milliseconds) {
      now += milliseconds
      passed += milliseconds
    },
    setForward(milliseconds) {
      now += milliseconds
    },
  }
}

export function stateOf(location: DatabaseLocation): DatabaseLocation {
  if (location.dialect === 'postgres') return location
  return { dialect: 'sqlite', path: join(dirname(location.path), 'state.db') }
}

interface Stop extends Partial<StoppedRequest> {
  readonly url?: string
  readonly user?: string
  readonly client?: string
}

export function stop({ url = 'https://www.casino.example/p', user, client, ...changes }: Stop = {}): StopRecord {
  return createStoppedRequests(1).add({
    reference: randomBytes(16).toString('base64url'),
    ...{ at: START, verdict: 'block', rule: 'gambling' },
    request: requestFor(url, user, client),
    reason: { pattern: undefined, entry: { list: 'casinos', entry: 'casino.example' } },
    ...changes,
  })
}

/** The rows of a table in their order, with numbers instead of PostgreSQL's text. */
export async function rowsOf(location: DatabaseLocation, table: string, order: string) {
  const rows = await query(location, `select * from ${table} order by ${order}`)
  const numeric = new Set(['at', 'hour', 'requests', 'created_at'])
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, numeric.has(name) ? Number(value) : value])),
  )
}
