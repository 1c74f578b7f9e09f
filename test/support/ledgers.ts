// Prepared ledgers with any number of acceptances, which other processes can read.
import type { TestContext } from 'node:test'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { type databases, query } from './databases.ts'

/** Creates an empty ledger as a portal does. */
export async function emptyLedger(t: TestContext, database: (typeof databases)[number]): Promise<DatabaseLocation> {
  const location = await database.create(t)
  await (await openLedger(location, { clock: Date.now, migrate: true })).close()
  return location
}

/**
 * Adds acceptances from 2025-01-01 on, seven per second, each with one attempt; of every ten, the last is pending and
 * the one before it refused. Their ids are not ordered by time.
 */
export async function fill(location: DatabaseLocation, count: number): Promise<void> {
  for (const statement of location.dialect === 'sqlite' ? sqliteStatements(count) : postgresStatements(count)) {
    await query(location, statement)
  }
}

const STATE = `case i % 10 when 9 then 'pending' when 8 then 'refused' else 'accepted' end`
const STATUS = `case i % 10 when 9 then null when 8 then 403 else 302 end`
const SHOWN = 'policy_version, document_sha256, document_source, locale'
const COLUMNS = `id, jti, rule_name, ${SHOWN}, state, requested_at,
  decided_at, engine_status, attempts, portal_version, client_address`
const ATTEMPT_COLUMNS = `id, jti, asked_at, answered_at, engine_status, ${SHOWN}`

function sqliteStatements(count: number): readonly string[] {
  const time = `strftime('%Y-%m-%dT%H:%M:%fZ', 1735689600 + i / 7, 'unixepoch')`
  const numbers = `with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i < ${count} - 1)`
  return [
    `${numbers} insert into acceptance (${COLUMNS}) select
      printf('%08x-0000-7000-8000-%012x', (i * 2654435761) & 4294967295, i), printf('verdict-%014d', i),
      'rule-' || (i % 5), '2026-11-20', printf('%064d', i % 3), 'shown', 'de', ${STATE}, ${time},
      case when i % 10 < 9 then ${time} end, ${STATUS}, 1, '2026.47.0-IR', null from numbers`,
    `${numbers} insert into attempt (${ATTEMPT_COLUMNS}) select printf('%08x-1111-7000-8000-%012x', i, i), printf('verdict-%014d', i), ${time},
      case when i % 10 < 9 then ${time} end, ${STATUS}, '2026-11-20', printf('%064d', i % 3), 'shown', 'de' from numbers`,
  ]
}

function postgresStatements(count: number): readonly string[] {
  const time = `to_char(timestamp '2025-01-01' + (i / 7) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  const numbers = `generate_series(0, ${count} - 1) as numbers (i)`
  const hex = (number: string, length: number) => `lpad(to_hex(${number}), ${length}, '0')`
  return [
    `insert into acceptance (${COLUMNS}) select
      ${hex('(i::bigint * 2654435761) & 4294967295', 8)} || '-0000-7000-8000-' || ${hex('i', 12)},
      'verdict-' || lpad(i::text, 14, '0'), 'rule-' || (i % 5), '2026-11-20', lpad((i % 3)::text, 64, '0'), 'shown', 'de',
      ${STATE}, ${time}, case when i % 10 < 9 then ${time} end, ${STATUS}, 1, '2026.47.0-IR', null from ${numbers}`,
    `insert into attempt (${ATTEMPT_COLUMNS}) select ${hex('i', 8)} || '-1111-7000-8000-' || ${hex('i', 12)}, 'verdict-' || lpad(i::text, 14, '0'),
      ${time}, case when i % 10 < 9 then ${time} end, ${STATUS}, '2026-11-20', lpad((i % 3)::text, 64, '0'), 'shown', 'de'
      from ${numbers}`,
    'analyze',
  ]
}
