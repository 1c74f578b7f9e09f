// A private key and its certificate in one PEM file: a rename replaces both at once, so that no reader finds a new
// certificate with an old key.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { writeFileAtomically } from '../files/atomic-file.ts'
import type { OrReason } from '../or-reason.ts'

export interface Pair {
  readonly certificate: X509Certificate
  /** As PEM, for TLS. */
  readonly pem: { readonly cert: string; readonly key: string }
}

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----'
const MAXIMUM_BYTES = 64 * 1024

/** Never rejects. @returns a reason that follows the file's path: `does not exist` */
export async function readPair(path: string): Promise<OrReason<Pair>> {
  try {
    // Reading a pipe would block.
    const { size, isRegular } = await stat(path).then((stats) => ({ size: stats.size, isRegular: stats.isFile() }))
    if (!isRegular || size > MAXIMUM_BYTES) return { reason: 'is not a file with a key and its certificate' }
    return parsePair(await readFile(path, 'utf8')) ?? { reason: 'does not hold a private key and its certificate' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    return { reason: isMissing ? 'does not exist' : `cannot be read (${code})` }
  }
}

/**
 * @param mode permission bits
 * @param group the file's group; by default the one that the system gives it
 */
export async function writePair(path: string, pem: Pair['pem'], mode: number, group?: number): Promise<void> {
  await writeFileAtomically(path, `${pem.key}${pem.cert}`, mode, group)
}

function parsePair(text: string): Pair | undefined {
  const start = text.indexOf(BEGIN_CERTIFICATE)
  if (start === -1) return undefined
  const pem = { key: text.slice(0, start), cert: text.slice(start) }
  try {
    const certificate = new X509Certificate(pem.cert)
    return certificate.checkPrivateKey(createPrivateKey(pem.key)) ? { certificate, pem } : undefined
  } catch {
    return undefined
  }
}
