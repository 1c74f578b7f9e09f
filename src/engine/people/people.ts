// All that an engine has about a person, in the state, in the journal and in memory: counted, shown in pages, and deleted.
import type { Journal } from '../journal/journal.ts'
import { createJournalPeople, type PersonStop } from '../journal/people.ts'
import type { StoppedRequest, StoppedRequests } from '../monitoring/stopped-requests.ts'
import type { PolicyStore } from '../policy/reload/policy-store.ts'
import { parseUser } from '../request/user.ts'
import {
  keyColumns,
  type PersonDeleted,
  type PersonRows,
  STATE_PARTS,
  type StatePart,
  type StatePeople,
  type StateRow,
} from '../state/people.ts'
import { type Page, type PagedPart, type Position, readPage } from './pages.ts'
import { eventNames, type Person, stopNames } from './person.ts'

export type PersonPart = StatePart | 'stops' | 'memory'
export const PERSON_PARTS: readonly PersonPart[] = [...STATE_PARTS, 'stops', 'memory']

type PersonRow = StateRow<StatePart> | PersonStop | StoppedRequest
type Counts = Readonly<Record<PersonPart, number>>

export interface People {
  count(person: Person): Promise<Counts>
  page(person: Person, from: Position<PersonPart> | undefined, limit: number): Promise<Page<PersonPart, PersonRow>>
  delete(person: Person, options: DeletionOptions): Promise<PersonDeletion>
}

interface DeletionOptions {
  /** Who deletes, for the event. */
  readonly by: string
  /** See `StatePeople`. */
  readonly attempts: boolean
}

interface PersonDeletion extends Pick<PersonDeleted, 'ended' | 'kept'> {
  readonly deleted: Counts
}

export interface PeopleOptions {
  readonly state: StatePeople
  /** Undefined without a journal. */
  readonly journal: Journal | undefined
  readonly stopped: Pick<StoppedRequests, 'of' | 'remove'>
  readonly policies: Pick<PolicyStore, 'current'>
}

export function createPeople({ state, stopped, policies, ...options }: PeopleOptions): People {
  const journal = options.journal && createJournalPeople(options.journal)
  const isUser = (person: Person) => (name: string | undefined) =>
    name !== undefined && (name === person.user || parseUser(name, policies.current.affixes) === person.user)
  const isTheirs = (person: Person): Parameters<StoppedRequests['of']>[0] => {
    const isNamed = isUser(person)
    return ({ address, user }) => (person.user === undefined ? address === person.client.address : isNamed(user))
  }

  async function rowsOf(person: Person) {
    const keys = (await journal?.keys()) ?? []
    const rows: PersonRows = { person, names: eventNames(person, keys), isReported: isUser(person) }
    return { rows, stops: stopNames(person, keys) }
  }

  return {
    async count(person) {
      const { rows, stops } = await rowsOf(person)
      return {
        ...(await state.countPerson(rows)),
        stops: (await journal?.countStops(stops)) ?? 0,
        memory: stopped.of(isTheirs(person)).length,
      }
    },
    async page(person, from, limit) {
      const { rows, stops } = await rowsOf(person)
      const parts = new Map<PersonPart, PagedPart<PersonRow>>()
      for (const part of STATE_PARTS) {
        parts.set(part, {
          read: (after, most) => state.personRows(part, rows, after, most),
          keyOf: (row) => keyColumns(part).map((column) => (row as unknown as Record<string, string>)[column] ?? ''),
        })
      }
      parts.set('stops', {
        read: async (after, most) => (await journal?.stops(stops, after, most)) ?? [],
        keyOf: (row) => [Number((row as PersonStop).at), (row as PersonStop).reference],
      })
      parts.set('memory', {
        async read(after, most) {
          const all = stopped.of(isTheirs(person))
          const last = after === undefined ? -1 : all.findIndex(({ reference }) => reference === after[0])
          // Evicted meanwhile: those after it are unknown, so all are read again.
          return all.slice(last + 1, last + 1 + most)
        },
        keyOf: (row) => [(row as StoppedRequest).reference],
      })
      return await readPage(parts, from, limit)
    },
    async delete(person, { by, attempts }) {
      // First: what is decided meanwhile is not written from it.
      const memory = stopped.remove(isTheirs(person))
      const { rows, stops } = await rowsOf(person)
      // Before the keys could be replaced.
      const stopsDeleted = (await journal?.deleteStops(stops)) ?? 0
      const { deleted, ended, kept } = await state.deletePerson(rows, { attempts })
      if (journal !== undefined) await state.recordDeletion(by, ended)
      return { deleted: { ...deleted, stops: stopsDeleted, memory }, ended, kept }
    },
  }
}
