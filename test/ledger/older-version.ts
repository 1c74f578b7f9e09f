// Version 2026.47: its statements and its tables.
import { randomUUIDv7 } from 'node:crypto'
import { deriveState } from '../../src/ledger/state.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { query } from '../support/databases.ts'
import { newReference } from './fixture.ts'

const ADDED_SINCE = ['policy_version', 'document_sha256', 'locale', 'document_source', 'client_address']

/** Removes from an empty ledger what later versions have added. */
export async function downgrade(location: DatabaseLocation): Promise<void> {
  for (const column of ADDED_SINCE) await query(location, `alter table attempt drop column ${column}`)
  await query(location, `delete from ledger_migration where name > '003'`)
}

/** A replica of that version; it records what was shown in the acceptance, for its first attempt only. */
export function olderReplica(location: DatabaseLocation) {
  return {
    async begin(now: string, locale: string, reference = newReference()) {
      const id = randomUUIDv7()
      await query(
        location,
        `insert into acceptance (id, jti, rule_name, policy_version, document_sha256, document_source, locale, state,
           requested_at, attempts, portal_version, client_address)
         values ('${randomUUIDv7()}', '${reference}', 'rule-example', 'policy in ${locale}', 'hash in ${locale}', 'assumed',
           '${locale}', 'pending', '${now}', 1, '2026.47.0-IR', '192.0.2.1')
         on conflict (jti) do update set attempts = acceptance.attempts + 1,
           state = case when acceptance.state = 'accepted' then 'accepted' else 'pending' end,
           decided_at = case when acceptance.state = 'accepted' then acceptance.decided_at end,
           engine_status = case when acceptance.state = 'accepted' then acceptance.engine_status end`,
      )
      await query(
        location,
        `insert into attempt (id, jti, asked_at, answered_at, engine_status)
         values ('${id}', '${reference}', '${now}', null, null)`,
      )
      return { id, reference }
    },
    async complete({ id, reference }: { id: string; reference: string }, status: number, now: string) {
      await query(
        location,
        `update attempt set answered_at = '${now}', engine_status = ${status} where id = '${id}' and answered_at is null`,
      )
      const [acceptance] = await query(location, `select state from acceptance where jti = '${reference}'`)
      if (acceptance?.state === 'accepted') return
      const attempts = await query(location, `select engine_status from attempt where jti = '${reference}'`)
      const state = deriveState(attempts.map(({ engine_status }) => engine_status as number | null))
      if (state === 'pending') return
      await query(
        location,
        `update acceptance set state = '${state}', decided_at = '${now}', engine_status = ${status}
         where jti = '${reference}'`,
      )
    },
  }
}
