// Reads the settings, and records the state in which each of their files was read.
import { type ReadFile, readRegularFile } from '../../../settings/file.ts'
import { readFingerprintSync } from '../../../settings/file-fingerprint.ts'
import { MUST_NOT_CHANGE } from '../lists/load-lists.ts'

export interface TrackedReading<Settings> {
  /** The policy's file, or a copy of it. */
  readonly path: string
  /** Undefined where it cannot be read. */
  readonly content: Uint8Array | undefined
  readonly settings: Settings
  /** The state of each file before it was read, by path. */
  readonly fingerprints: ReadonlyMap<string, string>
  /** A problem for each file that was changed meanwhile. */
  readonly changes: readonly string[]
}

/** @param load reads all files with `readFile` */
export function readTracked<Settings>(
  load: (readFile: ReadFile, path: string) => Settings,
  path: string,
): TrackedReading<Settings> {
  const fingerprints = new Map<string, string>()
  let content: Uint8Array | undefined
  const settings = load((name) => {
    if (!fingerprints.has(name)) fingerprints.set(name, readFingerprintSync(name))
    const bytes = readRegularFile(name)
    if (name === path) content = bytes
    return bytes
  }, path)
  const changed = [...fingerprints].filter(([name, state]) => readFingerprintSync(name) !== state)
  const changes = changed.map(([name]) => `${name} ${MUST_NOT_CHANGE}`)
  return { path, content, settings, fingerprints, changes }
}
