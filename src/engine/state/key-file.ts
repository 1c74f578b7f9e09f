// The key that only the engines have, in a file that the first one creates. Of two keys, during a rotation, the first
// seals and both open.
import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { constants, existsSync, readFileSync } from 'node:fs'
import { access, chmod, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseSecrets } from '../../contract/secret.ts'
import { readSecretFile } from '../../settings/file.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import { NEW_SYNCED_FILE } from '../files/atomic-file.ts'

export interface StateKeys {
  readonly sealing: KeyObject
  /** The sealing one first. */
  readonly opening: readonly KeyObject[]
  /** For fingerprints of attempts. */
  readonly fingerprint: KeyObject
  /** For hashes of lesson codes; that of new ones first. */
  readonly lessonCodes: readonly KeyObject[]
}

/**
 * Reads the key file, and creates it if it does not exist.
 * @throws {ConfigProblems}
 */
export async function ensureKeyFile(path: string): Promise<StateKeys> {
  try {
    if (!existsSync(path)) await createKeyFile(path)
  } catch (error) {
    throw new ConfigProblems([cannotBeCreated(path, error)])
  }
  return readKeyFile(path)
}

/** The problems that `ensureKeyFile` would report; creates nothing. */
export async function checkKeyFile(path: string): Promise<readonly string[]> {
  if (!existsSync(path)) {
    return await access(dirname(path), constants.W_OK | constants.X_OK).then(
      () => [],
      (error: unknown) => [cannotBeCreated(path, error)],
    )
  }
  try {
    readKeyFile(path)
    return []
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems
    throw error
  }
}

function cannotBeCreated(path: string, error: unknown): string {
  const { code = error } = error as NodeJS.ErrnoException
  return `state.key_file must name a file in a folder where files can be created (${code}); it is now ${path}`
}

/** @throws {ConfigProblems} */
function readKeyFile(path: string): StateKeys {
  const { text, fault } = readSecretFile(path, readFileSync)
  if (text === undefined) throw new ConfigProblems([`state.key_file ${fault}; it is now ${path}`])
  try {
    return deriveKeys(parseSecrets(text))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const remedy = 'restore it, or delete it: verdicts that have been issued can then no longer be acknowledged'
    throw new ConfigProblems([`the file of state.key_file, ${path}, ${error.message}; ${remedy}`])
  }
}

/** Creates a complete file or none: if two engines start at the same time, the link of the slower one fails. */
async function createKeyFile(path: string): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(unfinished, NEW_SYNCED_FILE, 0o600)
  try {
    // By path: Node's permission model has no calls for open files.
    await chmod(unfinished, 0o600)
    await file.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await rm(unfinished)
  }
}

function deriveKeys(secrets: readonly string[]): StateKeys {
  const derive = (secret: string, info: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `gateway-engine/${info}/v1`, 32)))
  const opening = secrets.map((secret) => derive(secret, 'ack-token'))
  const [first] = secrets as [string]
  const lessonCodes = secrets.map((secret) => derive(secret, 'lesson-code'))
  return { sealing: opening[0] as KeyObject, opening, fingerprint: derive(first, 'attempt'), lessonCodes }
}
