// The copy of the policy's file that was accepted last: a start compares the file with it, and uses it where the file may not
// come into force. It may contain secrets.
import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { writeFileAtomically } from '../../files/atomic-file.ts'
import { makeFolder } from '../../files/folders.ts'

/** Resolves to a warning if the copy cannot be written. */
export type SaveCopy = (content: Uint8Array) => Promise<string | undefined>

/**
 * In the folder of the engine's keys: unlike `[state] key_file`, it is known to every start, whatever the policy's file has
 * lost. An issuer and a reader may share it.
 * @param folder in which certificates are published
 */
export function policyCopyPath(folder: string, role: 'issuer' | 'reader', policyFile: string): string {
  return resolve(folder, 'engine', `accepted-${role === 'reader' ? 'reader-' : ''}${basename(policyFile)}`)
}

export function createSaveCopy(path: string): SaveCopy {
  let running: Promise<string | undefined> = Promise.resolve(undefined)

  async function write(content: Uint8Array): Promise<string | undefined> {
    try {
      // A folder that can only be read suffices for a copy that is the same, for example that of another engine.
      if ((await readFile(path).catch(() => undefined))?.equals(content)) return undefined
      await makeFolder(dirname(path), 0o700)
      await writeFileAtomically(path, content, 0o600)
      return undefined
    } catch (error) {
      const { code = error } = error as NodeJS.ErrnoException
      return `cannot write ${path} (${code}): the next start compares the policy with an earlier one, or with none`
    }
  }

  // One at a time, so that the last one stays.
  return (content) => {
    running = running.then(() => write(content))
    return running
  }
}
