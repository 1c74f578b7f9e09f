// When root starts Squid, it changes to a user who cannot read the demo's folder. So if root runs the demo, Squid runs as
// `nobody`, who gets access to what Squid reads and to nothing else.
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const NOBODY = 65534

/** The user that runs the proxy; undefined for the demo's own user. */
export const squidUser = process.geteuid?.() === 0 ? NOBODY : undefined

/**
 * Prepares the demo's folder before the engine publishes into it.
 * @param files what Squid reads in addition to what the engine publishes
 */
export function openToSquid(folder: string, published: string, files: readonly string[]): void {
  const run = runFolder(folder)
  mkdirSync(run)
  if (squidUser === undefined) return
  chmodSync(folder, 0o711)
  const bump = join(published, 'bump')
  mkdirSync(bump, { recursive: true })
  chmodSync(published, 0o755)
  chownSync(bump, 0, squidUser)
  // The engine keeps the group of a folder with the setgid bit.
  chmodSync(bump, 0o2750)
  for (const path of [run, ...files]) chownSync(path, squidUser, squidUser)
}

/** Where Squid keeps its files. */
export function runFolder(folder: string): string {
  return join(folder, 'proxy')
}
