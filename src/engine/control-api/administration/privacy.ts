// What is stored about a person: counted, shown in pages, deleted; and how long what is kept.
import * as z from 'zod'
import type { EngineRetention, PersonPage } from '../../../contract/administration.ts'
import { scrub } from '../../../database/scrub.ts'
import { text } from '../../../settings/shapes.ts'
import type { JournalSettings } from '../../journal/journal.ts'
import type { PersonStop } from '../../journal/people.ts'
import { STOPPED_IN_MEMORY, type StoppedRequest } from '../../monitoring/stopped-requests.ts'
import { parsePosition, positionText } from '../../people/pages.ts'
import { createPeople, PERSON_PARTS, type PersonPart } from '../../people/people.ts'
import type { Person } from '../../people/person.ts'
import { sentUrl } from '../../request/target.ts'
import { userOf } from '../../state/holder.ts'
import type { Kept, StateRow } from '../../state/people.ts'
import { permissionOf } from '../../state/permissions.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, clientAddress, isoTime, limit, userName } from './call.ts'
import { describePermission } from './permissions.ts'

const ONE = 'Either "user" or "client" must be set.'
const OTHER_POSITION = '"after" must be the "next" of the page before.'

export function privacyCalls(administration: Administration) {
  const { policies, journal, monitoring, audit, databases } = administration
  const people = createPeople(administration)
  const postgresql = Object.entries(databases).flatMap(([name, { dialect }]) => (dialect === 'postgres' ? [name] : []))
  const person = { user: userName(policies).optional(), client: clientAddress.optional() }
  const named = z.strictObject(person).refine(isOne, ONE)
  return {
    ...administrationCall('privacy/count', named, async (given) => {
      const one = personOf(given)
      const { user = null, client } = one
      const groups = policies.current.groups.filter(({ users }) => one.user !== undefined && users.has(one.user))
      return {
        rows: await people.count(one),
        person: { user, client: client?.address ?? null, network: client?.network ?? null },
        groups: groups.map(({ name }) => name),
        journal: journal !== undefined,
      }
    }),
    ...administrationCall(
      'privacy/show',
      z.strictObject({ ...person, limit, after: text(1, 2000).optional() }).refine(isOne, ONE),
      async ({ limit, after, ...given }) => {
        const from = after === undefined ? undefined : parsePosition(after, PERSON_PARTS)
        if (after !== undefined && from === undefined) return { refused: problem(400, OTHER_POSITION) }
        const { rows, next } = await people.page(personOf(given), from, limit)
        const of = <Row>(part: PersonPart) => (rows.get(part) ?? []) as unknown as readonly Row[]
        return {
          sessions: of<StateRow<'sessions'>>('sessions').map(describeSession),
          attempts: of<StateRow<'attempts'>>('attempts').map(describeAttempts),
          permissions: of<StateRow<'permissions'>>('permissions').flatMap((row) => {
            const permission = permissionOf(row)
            return permission === undefined ? [] : [describePermission(permission)]
          }),
          presences: of<StateRow<'presences'>>('presences').map((row) => {
            return { client: row.client_address, user: row.user_name, expires_at: timeOf(row.expires_at) }
          }),
          redemptions: of<StateRow<'redemptions'>>('redemptions').map((row) => {
            return { reference: row.reference, expires_at: timeOf(row.expires_at) }
          }),
          events: of<StateRow<'events'>>('events').map(describeEvent),
          stops: of<PersonStop>('stops').map(describeStop),
          memory: of<StoppedRequest>('memory').map(describeStopped),
          next: next === undefined ? null : positionText(next),
        }
      },
    ),
    ...administrationCall(
      'privacy/delete',
      z
        .strictObject({ ...person, by: text(1, 128), attempts: z.literal(true, 'must be true, or missing').optional() })
        .refine(isOne, ONE),
      async ({ by, attempts = false, ...given }, from) => {
        const { deleted, ended, kept } = await people.delete(personOf(given), { by, attempts })
        const faults = []
        for (const location of Object.values(databases)) faults.push(await scrub(location))
        const remains = faults.filter((fault) => fault !== undefined)
        const rows = Object.values(deleted).reduce((sum, count) => sum + count, 0)
        monitoring.administered({ event: 'person.deleted', from, by, rows, ended })
        return {
          deleted,
          ended,
          kept: { attempts: describeKept(kept.attempts), redemptions: describeKept(kept.redemptions) },
          remains,
          postgresql,
        }
      },
    ),
    ...administrationCall('privacy/retention', z.strictObject({}), async (): Promise<EngineRetention> => {
      const sessions = policies.current.rules.flatMap((rule) => ('sessionMs' in rule ? [rule.sessionMs / 60_000] : []))
      return {
        journal: journal === undefined ? null : describeJournal(journal.settings, postgresql.includes('journal')),
        state: { postgresql: postgresql.includes('state'), session_minutes: Math.max(0, ...sessions) },
        memory: STOPPED_IN_MEMORY,
        log: audit,
      }
    }),
  }
}

function describeJournal({ days, personDays, hosts }: JournalSettings, postgresql: boolean) {
  return { days, person_days: personDays, hosts, postgresql }
}

function isOne({ user, client }: { readonly user?: unknown; readonly client?: unknown }): boolean {
  return (user === undefined) !== (client === undefined)
}

function personOf({
  user,
  client,
}: {
  readonly user?: string | undefined
  readonly client?: Person['client']
}): Person {
  return user === undefined ? { client: client as NonNullable<typeof client> } : { user }
}

/** Negative for what was ended. */
function timeOf(milliseconds: number | string): string {
  return isoTime(Math.abs(Number(milliseconds)))
}

function describeSession(row: StateRow<'sessions'>): PersonPage['sessions'][number] {
  return {
    ...{ rule: row.rule_name, user: userOf(row.holder) ?? null, client: row.client_address, reference: row.reference },
    started_at: timeOf(row.started_at),
    expires_at: timeOf(row.expires_at),
    ended: Number(row.expires_at) < 0,
  }
}

function describeAttempts(row: StateRow<'attempts'>): PersonPage['attempts'][number] {
  const user = userOf(row.holder) ?? null
  const client = user === null ? row.holder.replace('client ', '') : null
  return { rule: row.rule_name, user, client, used: row.used, allowed: row.allowed, expires_at: timeOf(row.expires_at) }
}

function describeEvent(row: StateRow<'events'>): PersonPage['events'][number] {
  return {
    ...{ at: timeOf(row.at), event: row.event, outcome: row.outcome, reference: row.reference, rule: row.rule_name },
    ...{ host: row.host, client: row.client, user: row.user_name, group: row.group_name, room: row.room_name },
    ...{ switch: row.switch_name, lesson_code: row.lesson_code, by: row.acted_by, despite: row.despite },
    ...{ ended: row.ended, expires_at: row.expires_at === null ? null : timeOf(row.expires_at) },
    pseudonymised: row.key_id !== null,
  }
}

function describeStop(row: PersonStop): PersonPage['stops'][number] {
  return {
    ...{ at: timeOf(row.at), reference: row.reference, verdict: row.verdict, rule: row.rule_name },
    ...{ category: row.category, list: row.list_name, entry: row.entry, host: row.host, client: row.client },
    ...{ user: row.user_name, group: row.group_name, pseudonymised: row.key_id !== null },
  }
}

function describeStopped({ at, reference, verdict, rule, request }: StoppedRequest): PersonPage['memory'][number] {
  const { client, user = null, method } = request
  return { at: isoTime(at), reference, verdict, rule, url: sentUrl(request), method, client: client.address, user }
}

function describeKept(kept: Kept | undefined): { readonly rows: number; readonly until: string } | null {
  return kept === undefined ? null : { rows: kept.rows, until: isoTime(kept.until) }
}
