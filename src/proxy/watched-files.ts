// Whether files may have changed since the last look, without reading them.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Identity, size and time of the last change of each file, or why there is none.
 * @param paths of files, and of folders, for the files in them
 */
export function fingerprint(paths: readonly string[]): string {
  return paths.flatMap(filesOf).map(fingerprintOf).join('\n')
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

function fingerprintOf(path: string): string {
  try {
    const { dev, ino, size, ctimeNs } = statSync(path, { bigint: true })
    return `${path} ${dev} ${ino} ${size} ${ctimeNs}`
  } catch (error) {
    return `${path} ${(error as NodeJS.ErrnoException).code}`
  }
}
