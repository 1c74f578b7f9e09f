// What the engines have about a person.
import type {
  EngineRetention,
  PersonCounts,
  PersonDeletion,
  PersonNamed,
  PersonPage,
} from '../../../contract/administration.ts'
import { MAXIMUM_LISTED } from '../../../contract/administration.ts'
import type { Context } from '../../context.ts'
import { callEngine } from '../../engine/client.ts'
import { type Connection, findEngine } from '../../engine/connection.ts'
import { Failure } from '../../failure.ts'
import type { PersonOptions } from '../person-options.ts'

export type PersonRows = Omit<PersonPage, 'next'>

export interface EngineSource {
  /** An origin. */
  readonly engine: string
  readonly count: PersonCounts
  readonly rows: PersonRows
  readonly retention: EngineRetention
  delete(by: string, attempts: boolean): Promise<PersonDeletion>
}

/** A file of 1 GB is rewritten meanwhile. */
const DELETION_SECONDS = 600

/** Of all that are named; of the others, why they cannot be reached. */
export async function readEngines(
  context: Context,
  options: PersonOptions,
  person: PersonNamed,
): Promise<{ readonly engines: readonly EngineSource[]; readonly unreachable: readonly string[] }> {
  const engines: EngineSource[] = []
  const unreachable: string[] = []
  for (const connection of await connections(context, options)) {
    try {
      engines.push(await readEngine(connection, person))
    } catch (error) {
      // Misuse, such as a name that is none, is the same at each engine.
      if (!(error instanceof Failure) || error.exitCode !== 1) throw error
      unreachable.push(error.message)
    }
  }
  return { engines, unreachable }
}

export async function connections(context: Context, options: PersonOptions): Promise<readonly Connection[]> {
  const { engine: named = [undefined], tokenFile, caFile } = options
  const files = { ...(tokenFile !== undefined && { tokenFile }), ...(caFile !== undefined && { caFile }) }
  return await Promise.all(
    named.map((engine) => findEngine(context, { ...files, ...(engine !== undefined && { engine }) })),
  )
}

async function readEngine(connection: Connection, person: PersonNamed): Promise<EngineSource> {
  return {
    engine: connection.url.origin,
    count: await callEngine(connection, 'privacy/count', person),
    rows: await readPages(connection, person),
    retention: await callEngine(connection, 'privacy/retention', {}),
    delete: (by, attempts) =>
      callEngine(
        connection,
        'privacy/delete',
        { ...person, by, ...(attempts && { attempts: true as const }) },
        DELETION_SECONDS,
      ),
  }
}

async function readPages(connection: Connection, person: PersonNamed): Promise<PersonRows> {
  const all: Record<string, unknown[]> = {}
  for (let after: string | undefined; ; ) {
    const request = { ...person, limit: MAXIMUM_LISTED, after }
    const { next, ...page } = await callEngine(connection, 'privacy/show', request)
    for (const [part, rows] of Object.entries(page)) all[part] = [...(all[part] ?? []), ...rows]
    if (next === null) return all as unknown as PersonRows
    after = next
  }
}
