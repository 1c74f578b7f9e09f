// What a change is about to do, on the disk before the first thing is done and gone after the last: while it is there,
// the old state is to be put back.
import { join } from 'node:path'
import { z } from 'zod'
import type { Installation } from '../../deployment/installation.ts'
import { workFolder } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { keepBefore, keptBefore, moveWhole, readWhole, removeWhole, sha256, writeWhole } from '../../whole-file.ts'

const digest = z.string().regex(/^[0-9a-f]{64}$/)

const journalShape = z.object({
  version: z.literal(1),
  /** The verb, as it was called. */
  verb: z.string(),
  startedAt: z.iso.datetime(),
  /** The value of the switch in `.env`; null where it was not set. */
  switchBefore: z.string().nullable(),
  /** What is replaced, with the digests of the old and the new one; null where there was none. */
  files: z.array(z.object({ path: z.string(), before: digest.nullable(), after: digest })),
})
export type Journal = Readonly<z.infer<typeof journalShape>>

export const journalPath = (installation: Installation): string =>
  join(installation.home, '.gatewayctl', 'journal.json')

/** The one of a change that has not come to its end. @throws {Failure} when it cannot be read */
export async function readJournal(installation: Installation): Promise<Journal | undefined> {
  const path = journalPath(installation)
  const bytes = await readWhole(path)
  if (bytes === undefined) return undefined
  try {
    return journalShape.parse(JSON.parse(bytes.toString()))
  } catch {
    throw new Failure(`${path} is not a journal of this gatewayctl; look at it, and remove it`)
  }
}

export interface Replacement {
  readonly path: string
  readonly bytes: Uint8Array
  /** Permissions of a file that was not there. */
  readonly mode: number
}

/** Writes the journal, then the files. @throws {Failure} */
export async function begin(
  installation: Installation,
  about: Pick<Journal, 'verb' | 'startedAt' | 'switchBefore'>,
  replacements: readonly Replacement[],
): Promise<Journal> {
  const files = await Promise.all(
    replacements.map(async ({ path, bytes }) => {
      const before = await readWhole(path)
      return { path, before: before === undefined ? null : sha256(before), after: sha256(bytes) }
    }),
  )
  const journal: Journal = { version: 1, ...about, files }
  await workFolder(installation)
  await writeWhole(journalPath(installation), `${JSON.stringify(journal, null, 2)}\n`, 0o600)
  return journal
}

export async function replaceFiles({ files }: Journal, replacements: readonly Replacement[]): Promise<void> {
  for (const { path, before } of files) if (before !== null) await keepBefore(path)
  for (const { path, bytes, mode } of replacements) await writeWhole(path, bytes, mode)
}

/**
 * Puts back what was there, however far the change came.
 * @returns the files that somebody else has changed since, which stay as they are
 */
export async function putBack({ files }: Journal): Promise<readonly string[]> {
  const foreign: string[] = []
  for (const { path, before, after } of files) {
    const bytes = await readWhole(path)
    const now = bytes === undefined ? null : sha256(bytes)
    const kept = await keptBefore(path)
    if (now === after && before === null) await removeWhole(path)
    else if (now === after && kept !== undefined) await moveWhole(kept, path)
    else if (now !== before) foreign.push(path)
    // Where both names stand for one file, there was nothing to put back.
    const left = await keptBefore(path)
    if (left !== undefined) await removeWhole(left)
  }
  return foreign
}

/** From here on the new state is the one that stays, or the old one again. */
export async function end(installation: Installation): Promise<void> {
  await removeWhole(journalPath(installation))
}
