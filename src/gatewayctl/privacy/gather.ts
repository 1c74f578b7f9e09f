// All that engines and ledgers have about a person, and where else something about her may be.
import type { PersonNamed } from '../../contract/administration.ts'
import type { Context } from '../context.ts'
import { namedPerson, type PersonOptions } from './person-options.ts'
import { thisMachine } from './retention/machine.ts'
import type { Place } from './retention/place.ts'
import { POSTGRESQL, placesBeyondReach } from './retention/retention.ts'
import { type EngineSource, readEngines } from './sources/engines.ts'
import { type LedgerSource, readLedgers, referencesOf } from './sources/ledgers.ts'

export interface Gathered {
  readonly person: PersonNamed
  readonly engines: readonly EngineSource[]
  readonly ledgers: readonly LedgerSource[]
  /** What was not searched, and why. */
  readonly unreachable: readonly string[]
  /** What is true of the whole, a sentence each. */
  readonly notes: readonly string[]
  readonly elsewhere: readonly Place[]
}

/** @throws {Failure} for misuse; what cannot be reached is in the result */
export async function gather(context: Context, options: PersonOptions): Promise<Gathered> {
  const person = namedPerson(options)
  const { engines, unreachable } = await readEngines(context, options, person)
  const clientAddress = person.client === undefined ? undefined : (engines[0]?.count.person.client ?? person.client)
  const references = [...new Set(engines.flatMap(({ rows }) => referencesOf(rows)))]
  const found = await readLedgers(context, options, { references, clientAddress })
  const isPostgres =
    found.ledgers.some((one) => one.isPostgres) ||
    engines.some(({ retention }) => retention.state.postgresql || retention.journal?.postgresql)
  return {
    person,
    engines,
    ledgers: found.ledgers,
    unreachable: [...unreachable, ...found.unreachable],
    notes: [...engines.flatMap(engineNotes), acceptancesNote(options, engines), MEMORY],
    elsewhere: [...(isPostgres ? [POSTGRESQL] : []), ...(await placesBeyondReach(thisMachine(context)))],
  }
}

const MEMORY = 'Each engine has the last stopped requests in its memory: name all of them with --engine.'

function engineNotes({ count: { person, groups, journal } }: EngineSource): readonly string[] {
  const { client, network } = person
  return [
    ...(groups.length > 0 ? [`The policy names the user in ${groups.join(', ')}: that is your file.`] : []),
    ...(client !== network ? [`Wrong codes are counted for ${network}, which may be more than one device's.`] : []),
    ...(journal ? [] : ['The journal is off: there are no stopped requests but those in memory, and no events.']),
  ]
}

/** An acceptance names a verdict: only an engine's rows lead from a person to it. */
function acceptancesNote({ acceptances, client }: PersonOptions, engines: readonly EngineSource[]): string {
  if (!acceptances) return 'Acceptances were not searched (--no-acceptances).'
  const days = Math.max(0, ...engines.map(({ retention }) => retention.journal?.days ?? 0))
  const address = client === undefined ? '' : ', or have the address'
  if (days === 0) return `Without a journal, only acceptances whose session is kept are found${address}.`
  return `Acceptances are found whose verdict the journal knows, for ${days} days${address}; older ones only the engine's log leads to.`
}
