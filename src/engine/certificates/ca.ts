// The interception CA and the one that follows it, each a certificate in one folder and its key in another. A CA comes
// into use by two renames, its certificate's first; a kill between them is made good by the next call, because the key
// belongs to the certificate whatever its name is.
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { moveFile } from './atomic-file.ts'
import { BACKDATED_MS, issueCaCertificate, type KeyPair } from './issue.ts'
import { keepKey, parseCertificate, parseKey, readIfThere, writePublic } from './pem-files.ts'

/** The CA in the folder cannot be used, and making another one would undo what clients have been told to trust. */
export class UnusableCa extends Error {}

export interface CaOptions {
  /** What everything is published under. */
  readonly folder: string
  /** The organisation in the CA's subject. */
  readonly organisation: string
  /** Milliseconds. */
  readonly now: number
}

/**
 * The CA that signs now: made where there is none, and replaced by the one that follows once its time has come.
 * @param beforeUse is called with such a CA before `ca.crt` becomes its certificate
 * @throws {UnusableCa} when a CA in the folder is half there, broken or not valid
 */
export async function keepCa(options: CaOptions, beforeUse: (ca: KeyPair) => Promise<void>): Promise<KeyPair> {
  const { now, folder } = options
  const { certificate, key, nextCertificate, nextKey } = caPaths(folder)
  const isNew = (await readIfThere(certificate)) === undefined && (await readIfThere(key)) === undefined
  if (isNew && (await readIfThere(nextCertificate)) === undefined) await writeNextCa(options, now)

  const next = await readPair(nextCertificate, nextKey)
  if (next !== undefined && usedFrom(next) <= now) {
    await beforeUse(next)
    await moveFile(nextCertificate, certificate)
  }
  const movedKey = parseKey(await readIfThere(nextKey))
  if (movedKey !== undefined && parseCertificate(await readIfThere(certificate))?.checkPrivateKey(movedKey)) {
    await moveFile(nextKey, key)
  }

  const current = await readPair(certificate, key)
  if (current === undefined) throw new UnusableCa(`${key} is there, but ${certificate} is not`)
  const { validFromDate, validToDate } = new X509Certificate(current.certificate)
  const isValid = validFromDate.getTime() <= now && now < validToDate.getTime()
  if (!isValid) throw new UnusableCa(`${certificate} is not valid at this time`)
  return current
}

/**
 * Publishes the CA that is used from this time on, beside the one that is in use.
 * @returns its certificate
 * @throws {UnusableCa} when there is no CA to follow, or one that follows already
 */
export async function publishNextCa(options: CaOptions, from: number): Promise<X509Certificate> {
  const { certificate, key, nextCertificate, nextKey } = caPaths(options.folder)
  if ((await readPair(certificate, key)) === undefined) throw new UnusableCa(`${certificate} is not there yet`)
  const present = await readPair(nextCertificate, nextKey)
  if (present !== undefined) {
    const date = new Date(usedFrom(present)).toISOString()
    throw new UnusableCa(`${nextCertificate} is there already; it is used from ${date} on`)
  }
  return await writeNextCa(options, from)
}

/** Key first: one without a certificate is what a kill leaves, and nobody trusts it yet. */
async function writeNextCa({ folder, organisation }: CaOptions, from: number): Promise<X509Certificate> {
  const { nextCertificate, nextKey } = caPaths(folder)
  const issued = await issueCaCertificate(await keepKey(nextKey), organisation, from)
  await writePublic(nextCertificate, issued)
  return new X509Certificate(issued)
}

function caPaths(folder: string) {
  return {
    certificate: join(folder, 'ca', 'ca.crt'),
    nextCertificate: join(folder, 'ca', 'ca-next.crt'),
    key: join(folder, 'engine', 'ca.key'),
    nextKey: join(folder, 'engine', 'ca-next.key'),
  }
}

/** A CA is used from the time on that it was issued for, when clients whose clock is slow take it for valid, too. */
function usedFrom({ certificate }: KeyPair): number {
  return new X509Certificate(certificate).validFromDate.getTime() + BACKDATED_MS
}

async function readPair(certificatePath: string, keyPath: string): Promise<KeyPair | undefined> {
  const certificate = await readIfThere(certificatePath)
  if (certificate === undefined) return undefined
  const keyText = await readIfThere(keyPath)
  if (keyText === undefined) throw new UnusableCa(`${certificatePath} is there, but ${keyPath} is not`)
  const key = parseKey(keyText)
  if (key === undefined) throw new UnusableCa(`${keyPath} is no private key`)
  const parsed = parseCertificate(certificate)
  if (parsed?.ca !== true) throw new UnusableCa(`${certificatePath} is no CA certificate`)
  if (!parsed.checkPrivateKey(key)) throw new UnusableCa(`${certificatePath} does not belong to ${keyPath}`)
  return { certificate, key }
}
