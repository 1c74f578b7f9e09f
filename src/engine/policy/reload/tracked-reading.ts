// Reads the settings, and records the state in which each of their files was read.
import { type ReadFile, readRegularFile } from '../../../settings/file.ts'
import { readFingerprintSync } from '../../../settings/file-fingerprint.ts'
import { MUST_NOT_CHANGE } from '../lists/load-lists.ts'

export interface TrackedReading<Settings> {
  /** The policy's file, or a copy of it. */
  readonly path: string
  /** Undefined where it cannot be read. */
  readonly content: Uint8Array | undefined
  /** What was read, by path. */
  readonly contents: ReadonlyMap<string, Uint8Array>
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
  const contents = new Map<string, Uint8Array>()
  const settings = load((name) => {
    if (!fingerprints.has(name)) fingerprints.set(name, readFingerprintSync(name))
    const bytes = readRegularFile(name)
    contents.set(name, bytes)
    return bytes
  }, path)
  const changed = [...fingerprints].filter(([name, state]) => readFingerprintSync(name) !== state)
  const changes = changed.map(([name]) => `${name} ${MUST_NOT_CHANGE}`)
  return { path, content: contents.get(path), contents, settings, fingerprints, changes }
}
