// The intermediate CA of the proxy, which signs the certificates of decrypted connections. Its key leaves the engine; that
// of the interception CA never does.
import { X509Certificate } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureProxyFolder } from '../files/folders.ts'
import type { CaOptions } from './ca.ts'
import { allowsIntermediate, generatePrivateKey, issueProxyCaCertificate, type KeyPair } from './issue.ts'
import { readPair, writePair } from './pair-file.ts'
import { toPem } from './pem-files.ts'

export interface ProxyCa {
  /** Whether this call replaced an existing one: the proxy must read the file again. */
  readonly isRenewed: boolean
  /** What the operator should do, if anything. */
  readonly problem: string | undefined
}

/** The proxy's user reads it as a member of the folder's group. */
const MODE = 0o640

/**
 * Publishes `bump/ca.pem`, key and certificate: created where none is usable, and renewed with a new key when a third of
 * its lifetime has passed, or when the interception CA has changed. Never throws: if it fails, everything else
 * is still published.
 */
export async function ensureProxyCa(options: CaOptions, ca: KeyPair): Promise<ProxyCa> {
  const path = join(options.folder, 'bump', 'ca.pem')
  if (!allowsIntermediate(ca.certificate)) {
    const problem = `the interception CA was issued by an earlier version and allows no CA below it, so ${path} is not published; rotate it with --rotate-ca DAYS: from its day on, the next CA allows one`
    return { isRenewed: false, problem }
  }
  try {
    const { group, problem } = await ensureProxyFolder(join(options.folder, 'bump'), 0o750)
    const present = await readPair(path)
    if (present.reason === undefined && isUsable(present.certificate, ca, options.now)) {
      if (!(await isProtected(path, group))) await writePair(path, present.pem, MODE, group)
      return { isRenewed: false, problem }
    }
    const key = generatePrivateKey()
    const cert = await issueProxyCaCertificate(ca, key, options.organisation, options.now)
    await writePair(path, { cert, key: toPem(key) }, MODE, group)
    return { isRenewed: present.reason === undefined, problem }
  } catch (error) {
    return { isRenewed: false, problem: `cannot publish ${path}: ${(error as Error).message}` }
  }
}

function isUsable(certificate: X509Certificate, ca: KeyPair, now: number): boolean {
  const issuer = new X509Certificate(ca.certificate)
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  // Near the end of the interception CA a renewal gains nothing.
  const isFresh = now < from + (to - from) / 3 || to >= issuer.validToDate.getTime()
  return from <= now && now < to && isFresh && certificate.ca && certificate.verify(issuer.publicKey)
}

/** Whether the path is a file that this process's user owns, with the right mode and group. */
async function isProtected(path: string, group: number): Promise<boolean> {
  const file = await lstat(path)
  return file.isFile() && (file.mode & 0o777) === MODE && file.gid === group && file.uid === process.geteuid?.()
}
