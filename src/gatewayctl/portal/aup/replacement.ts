// A file that is replaced, and put back if the portal rejects the change. The old file stays on the disk under a second
// name, so that putting it back needs no space.
import { readIfExists, removeFile, renameOver, writeAtomically } from '../../files/atomic-file.ts'

export interface Replacement {
  readonly path: string
  readonly bytes: Buffer
  /** Permissions of a file that does not exist yet. */
  readonly newMode: number
  /** Gives the old file a second name, and returns it. */
  readonly keep: () => Promise<string>
}

/** @returns whether the old file is back; if another program has changed the new one, it stays */
export type PutBack = () => Promise<boolean>

/** @throws {Failure} and the old file is in place */
export async function replace({ path, bytes, newMode, keep }: Replacement): Promise<PutBack> {
  const before = await readIfExists(path)
  const kept = before === undefined ? undefined : await keep()
  const putBack: PutBack = async () => {
    const now = await readIfExists(path)
    if (now?.equals(bytes)) {
      await (kept === undefined ? removeFile(path) : renameOver(kept, path))
      return true
    }
    const isOld = before === undefined ? now === undefined : (now?.equals(before) ?? false)
    if (isOld && kept !== undefined) await removeFile(kept)
    return isOld
  }
  try {
    await writeAtomically(path, bytes, newMode)
  } catch (error) {
    await putBack()
    throw error
  }
  return putBack
}
