// The file between rounds. A damaged one is as good as none: causes that last are then found, and sent, again.
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import { readRegularFileStart } from '../../settings/file.ts'
import { writeAtomically } from '../files/atomic-file.ts'
import type { Remembered } from './rounds.ts'

export interface State {
  /** Of the last round, in milliseconds since the epoch. */
  readonly roundAt: number
  readonly causes: readonly Remembered[]
  /** The section [alarms] as it was read last, for a file that cannot be read. */
  readonly section: unknown
  /** When each job succeeded last, or was seen first. */
  readonly jobs: Readonly<Record<string, number>>
  /** Rows that the engine's journal had lost, and when that number was seen to grow. */
  readonly journal: { readonly lost: number; readonly grewAt: number | null }
}

export const EMPTY: State = { roundAt: 0, causes: [], section: undefined, jobs: {}, journal: { lost: 0, grewAt: null } }

const MAXIMUM_BYTES = 1024 * 1024
const time = z.number().nonnegative()
const text = z.string().max(4000)
const told = z.object({ what: z.enum(['nothing', 'alarm', 'end']), alarmedAt: time.nullable() })
const stateShape = z.object({
  roundAt: time,
  causes: z
    .array(
      z.object({
        ...{ id: text, summary: text, remedy: text, since: time, until: time },
        ...{ found: time, missed: time, isConfirmed: z.boolean() },
        told: z.object({ mail: told, webhook: told }),
      }),
    )
    .max(1000),
  section: z.unknown(),
  jobs: z.record(z.string(), time),
  journal: z.object({ lost: time, grewAt: time.nullable() }),
})

/** @param paths the newest counts: the second is for a time in which the first cannot be written */
export function readState(paths: readonly string[]): { readonly state: State; readonly faults: readonly string[] } {
  const read = paths.map(readOne)
  const states = read.flatMap(({ state }) => state ?? [])
  const [newest = EMPTY] = states.toSorted((one, other) => other.roundAt - one.roundAt)
  return { state: newest, faults: read.flatMap(({ fault }) => fault ?? []) }
}

function readOne(path: string): { readonly state?: State; readonly fault?: string } {
  try {
    const bytes = readRegularFileStart(path, MAXIMUM_BYTES)
    const { data } = stateShape.safeParse(JSON.parse(Buffer.from(bytes).toString()))
    return data === undefined ? { fault: `${path} is damaged, and starts afresh` } : { state: data }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    return { fault: error instanceof SyntaxError ? `${path} is damaged, and starts afresh` : `${path}: ${message}` }
  }
}

/** @returns why the first one could not be written. @throws {Failure} when none could */
export async function writeState(paths: readonly string[], state: State): Promise<string | undefined> {
  const [path = '', ...others] = paths
  try {
    await writeOwned(path, `${JSON.stringify(state)}\n`)
    return undefined
  } catch (error) {
    if (others.length === 0) throw error
    await writeState(others, state)
    return (error as Error).message
  }
}

/** Root may run a round by hand: the file then belongs to the watcher's user, as its folder does. */
async function writeOwned(path: string, content: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeAtomically(path, content, 0o600, process.getuid?.() === 0 ? await stat(folder) : undefined)
}
