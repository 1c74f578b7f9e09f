// Writes a school's month into the tables of journal and state, as an engine would. For tests that need no engine.
import type { Kysely } from 'kysely'
import { hourOf } from '../../src/engine/journal/rows.ts'
import type { JournalTables } from '../../src/engine/journal/schema.ts'
import { zoneClock } from '../../src/engine/policy/schedule/zone-clock.ts'
import type { StateTables } from '../../src/engine/state/schema.ts'
import { type SchoolEvent, type SchoolRequest, ZONE } from './school-month.ts'

type Tables = JournalTables & StateTables

/** Rows of one statement. */
const BATCH = 500
const ATTEMPTS = 5

export async function writeSchoolMonth(db: Kysely<Tables>, events: readonly SchoolEvent[]): Promise<void> {
  const zone = zoneClock(ZONE) as NonNullable<ReturnType<typeof zoneClock>>
  const requests = events.filter((event) => event.kind === 'request')
  const totals = new Map<string, number>()
  for (const { at, stop, host } of requests) {
    const { verdict, rule, category = '', list = '' } = stop ?? { verdict: 'allow', rule: '' }
    const key = JSON.stringify([hourOf(at, zone), verdict, rule, category, list, stop === undefined ? '' : host])
    totals.set(key, (totals.get(key) ?? 0) + 1)
  }
  await inserted([...totals], BATCH, async (part) => {
    const rows = part.map(([key, requests]) => {
      const [hour, verdict, rule, category, list, host] = JSON.parse(key) as [number, 'block', ...string[]]
      const named = { rule_name: `${rule}`, category: `${category}`, list_name: `${list}`, host: `${host}` }
      return { hour, verdict, ...named, requests }
    })
    await db.insertInto('journal_total').values(rows).execute()
  })
  await inserted(stopRows(requests), BATCH, async (part) => {
    await db
      .insertInto('journal_stop')
      .values([...part])
      .execute()
  })
  await inserted(eventRows(events), BATCH, async (part) => {
    await db
      .insertInto('engine_event')
      .values([...part])
      .execute()
  })
}

/** Of the request with this number. */
function referenceOf(number: number): string {
  return `R${String(number).padStart(7, '0')}aaaaaaaaaaaaaa`
}

function stopRows(requests: readonly SchoolRequest[]) {
  return requests.flatMap(({ at, user, client, group, host, stop }, number) => {
    if (stop === undefined) return []
    const { verdict, rule, category = null, list = null } = stop
    const entry = list === null ? null : host
    return [
      {
        ...{ at, reference: referenceOf(number), verdict, rule_name: rule, category, list_name: list, entry, host },
        ...{ client, user_name: user, group_name: group, key_id: null },
      },
    ]
  })
}

function eventRows(events: readonly SchoolEvent[]) {
  let [number, id] = [0, 0]
  const row = (at: number, event: string, more: object) => ({ ...EMPTY, id: `event ${id++}`, at, event, ...more })
  return events.flatMap((event) => {
    if (event.kind === 'permission')
      return [row(event.at, 'permission.granted', { host: event.host, acted_by: 'Ms Rossi' })]
    if (event.kind === 'switch') return [row(event.at, 'switch.on', { switch_name: 'exam', acted_by: 'Ms Rossi' })]
    const { at, user, client, group, host, stop, acts } = event
    const reference = referenceOf(number++)
    const about = { reference, rule_name: stop?.rule ?? null, host, client, user_name: user, group_name: group }
    const outcomeOf = (act: string, index: number) =>
      act === 'continues' ? 'accepted' : index === ATTEMPTS - 1 ? 'locked out' : 'code rejected'
    return acts
      .slice(0, ATTEMPTS)
      .map((act, index) => row(at + index, 'acknowledgement', { ...about, outcome: outcomeOf(act, index) }))
  })
}

const EMPTY = {
  ...{ outcome: null, reference: null, rule_name: null, host: null, client: null, user_name: null, group_name: null },
  ...{ room_name: null, switch_name: null, lesson_code: null, acted_by: null, despite: null, ended: null },
  ...{ expires_at: null, key_id: null },
}

async function inserted<Row>(
  rows: readonly Row[],
  size: number,
  insert: (part: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += size) await insert(rows.slice(at, at + size))
}
