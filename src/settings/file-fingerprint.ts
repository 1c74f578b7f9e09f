// The state of a file, to detect that it was changed or replaced. A missing file has a state, too.
import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'

export function fingerprintOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('-')
}

export async function readFingerprint(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(fingerprintOf, codeOf)
}

export function readFingerprintSync(path: string): string {
  try {
    return fingerprintOf(statSync(path, { bigint: true }))
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code)
}
