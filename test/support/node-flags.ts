// The flags that a deployment runs the portal with (deploy/node-flags), for a portal of this repository.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The flags that are the same everywhere. */
export const NODE_FLAGS: readonly string[] = readFileSync(join(root, 'deploy/node-flags'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('--'))

/** All flags, including access to the folders that this portal may use in addition to its sources. */
export function nodeFlags({
  read,
  write,
}: {
  readonly read: readonly string[]
  readonly write: readonly string[]
}): string[] {
  const readable = [...['src', 'node_modules', 'package.json'].map((name) => join(root, name)), ...read]
  return [
    ...NODE_FLAGS,
    ...readable.map((place) => `--allow-fs-read=${place}${place.endsWith('.json') ? '' : '/*'}`),
    ...write.map((folder) => `--allow-fs-write=${folder}/*`),
  ]
}
