// What a report is made from: both databases, read over connections that no decision and no acknowledgement waits for.
import { MAXIMUM_CAUSES } from '../../../contract/report.ts'
import type { Journal } from '../journal.ts'
import { acknowledgedBySource } from './acknowledged.ts'
import { acceptedReferences, countEvents, grantedByHost } from './events.ts'
import { stopsByPerson } from './people.ts'
import type { Period } from './period.ts'
import { totalsByHour, totalsOfStops } from './totals.ts'

/** The parts of the journal that a report reads. */
export type ReportSources = Pick<Journal, 'read' | 'readEvents'>

export interface Wanted {
  readonly period: Period
  /** Entries of each table. */
  readonly top: number
  readonly people: boolean
  /** Whether the journal keeps hosts. */
  readonly hosts: boolean
}

/** Hosts of each list about which the others are asked. */
const ASKED_HOSTS = 100

export type ReportData = Awaited<ReturnType<typeof readReport>>

export async function readReport(journal: ReportSources, { period, top, people }: Wanted) {
  const events = await journal.readEvents('read the events of a report', async (transaction) => {
    const granted = await grantedByHost(transaction, period, MAXIMUM_CAUSES.hosts + 1)
    const accepted = await acceptedReferences(transaction, period, MAXIMUM_CAUSES.acknowledgements + 1)
    return {
      counts: await countEvents(transaction, period),
      granted: granted.slice(0, MAXIMUM_CAUSES.hosts),
      accepted: accepted.slice(0, MAXIMUM_CAUSES.acknowledgements),
      areCut: granted.length > MAXIMUM_CAUSES.hosts || accepted.length > MAXIMUM_CAUSES.acknowledgements,
    }
  })
  // One after the other: PostgreSQL has few connections for this.
  const { read } = journal
  const asked = { top, ofEachList: ASKED_HOSTS, permitted: events.granted.map(({ host }) => host) }
  return {
    events,
    hours: await read('sum up hours', (transaction) => totalsByHour(transaction, period)),
    ...(await read('sum up stopped requests', (transaction) => totalsOfStops(transaction, period, asked))),
    acknowledged: await read('look up acknowledgements', (transaction) =>
      acknowledgedBySource(transaction, events.accepted),
    ),
    people: people ? await readPeople(read, period, top) : undefined,
  }
}

async function readPeople(read: ReportSources['read'], period: Period, top: number) {
  const by = (column: 'user_name' | 'client' | 'group_name') =>
    read('count the stops of people', (transaction) => stopsByPerson(transaction, period, column, top))
  return { users: await by('user_name'), clients: await by('client'), groups: await by('group_name') }
}
