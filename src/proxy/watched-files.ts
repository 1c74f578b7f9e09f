// Whether files may have changed since the last look, without reading them.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readFingerprintSync } from '../settings/file-fingerprint.ts'

/**
 * Identity, size and time of the last change of each file, or why there is none.
 * @param paths of files, and of folders, for the files in them
 */
export function fingerprint(paths: readonly string[]): string {
  const files = paths.flatMap(filesOf)
  return files.map((file) => `${file} ${readFingerprintSync(file)}`).join('\n')
}

function filesOf(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .toSorted()
      .map((name) => join(path, name))
  } catch {
    return [path]
  }
}
