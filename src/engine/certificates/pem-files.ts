// Certificates and private keys in files.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { chmod, readFile, stat } from 'node:fs/promises'
import { writeFileAtomically } from '../files/atomic-file.ts'
import { generatePrivateKey } from './issue.ts'

const SECRET = 0o600
const SECRET_OF_GROUP = 0o640
const PUBLIC = 0o644

/** The file's text; undefined where the file is missing. @throws also for anything but a file: reading a pipe would block */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function parseCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem)
  } catch {
    return undefined
  }
}

export function parseKey(pem: string | undefined): KeyObject | undefined {
  try {
    return pem === undefined ? undefined : createPrivateKey(pem)
  } catch {
    return undefined
  }
}

export function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** A file that every user may read. */
export async function writePublic(path: string, content: string): Promise<void> {
  await writeFileAtomically(path, content, PUBLIC)
}

/**
 * The private key in this file, or a new one where none exists.
 * @param groupReads whether the file's group may read it, too
 */
export async function ensureKey(path: string, groupReads = false): Promise<KeyObject> {
  const mode = groupReads ? SECRET_OF_GROUP : SECRET
  const present = parseKey(await readIfPresent(path))
  if (present !== undefined) {
    if (((await stat(path)).mode & 0o777) !== mode) await chmod(path, mode)
    return present
  }
  const key = generatePrivateKey()
  await writeFileAtomically(path, toPem(key), mode)
  return key
}
