// The current interception CA and the next one, each a certificate in one folder and its key in another. Two renames
// activate a CA, the certificate first. If the process is killed between them, the next call finishes the activation: it
// recognises the key that matches the certificate.
import { X509Certificate } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { BACKDATED_MS, issueCaCertificate, type KeyPair } from './issue.ts'
import { ensureKey, parseCertificate, parseKey, readIfPresent, writePublic } from './pem-files.ts'

/** Other engines must have read what the next CA signs before it is activated. */
const PREPARATION_MS = 5 * 60 * 1000

/** The CA in the folder cannot be used. It is not replaced, because clients have been configured to trust it. */
export class UnusableCa extends Error {}

export interface CaOptions {
  /** The folder of everything published. */
  readonly folder: string
  /** The organisation in the CA's subject. */
  readonly organisation: string
  /** Milliseconds. */
  readonly now: number
}

/**
 * The CA that signs now: created where none exists, and replaced by the next one on its day.
 * @param beforeActivation is called with the next CA before its certificate becomes `ca.crt`: repeatedly, during the last
 * five minutes before its day
 * @throws {UnusableCa} when a CA in the folder is incomplete, corrupt or not valid
 */
export async function ensureCa(
  options: CaOptions,
  beforeActivation: (ca: KeyPair) => Promise<unknown>,
): Promise<KeyPair> {
  const { now, folder } = options
  const { certificate, key, nextCertificate, nextKey } = caPaths(folder)
  const isNew = (await readIfPresent(certificate)) === undefined && (await readIfPresent(key)) === undefined
  if (isNew && (await readIfPresent(nextCertificate)) === undefined) await writeNextCa(options, now)

  const next = await readPair(nextCertificate, nextKey)
  if (next !== undefined && activeFrom(next) - PREPARATION_MS <= now) await beforeActivation(next)
  if (next !== undefined && activeFrom(next) <= now) await rename(nextCertificate, certificate)
  if (await matches(certificate, nextKey)) await rename(nextKey, key)

  const current = await readPair(certificate, key)
  if (current === undefined) throw new UnusableCa(`${key} exists, but ${certificate} is missing`)
  assertValid(current, certificate, now)
  return current
}

/**
 * The same without changing anything.
 * @throws {UnusableCa}
 */
export async function checkCa(folder: string, now: number): Promise<void> {
  const { certificate, key, nextCertificate, nextKey } = caPaths(folder)
  const next = await readPair(nextCertificate, nextKey)
  if (next !== undefined && activeFrom(next) <= now) return assertValid(next, nextCertificate, now)
  const isNew = (await readIfPresent(certificate)) === undefined && (await readIfPresent(key)) === undefined
  if (isNew) return
  const isHalfActivated = await matches(certificate, nextKey)
  const current = await readPair(certificate, isHalfActivated ? nextKey : key)
  if (current === undefined) throw new UnusableCa(`${key} exists, but ${certificate} is missing`)
  assertValid(current, certificate, now)
}

/** @throws {UnusableCa} */
function assertValid({ certificate }: KeyPair, path: string, now: number): void {
  const { validFromDate, validToDate } = new X509Certificate(certificate)
  const isValid = validFromDate.getTime() <= now && now < validToDate.getTime()
  if (!isValid) throw new UnusableCa(`${path} is not valid at this time`)
}

/** Whether both exist, and the key is the certificate's. */
async function matches(certificatePath: string, keyPath: string): Promise<boolean> {
  const key = parseKey(await readIfPresent(keyPath))
  return key !== undefined && parseCertificate(await readIfPresent(certificatePath))?.checkPrivateKey(key) === true
}

/**
 * Publishes the next CA, which is used from this time on.
 * @returns its certificate
 * @throws {UnusableCa} when there is no current CA, or a next CA exists already
 */
export async function publishNextCa(options: CaOptions, from: number): Promise<X509Certificate> {
  const { certificate, key, nextCertificate, nextKey } = caPaths(options.folder)
  if ((await readPair(certificate, key)) === undefined) throw new UnusableCa(`${certificate} does not exist yet`)
  const present = await readPair(nextCertificate, nextKey)
  if (present !== undefined) {
    const date = validFrom(new X509Certificate(present.certificate))
    throw new UnusableCa(`${nextCertificate} exists already; it is valid from ${date} on`)
  }
  return await writeNextCa(options, from)
}

/** Key first: a key without a certificate is harmless, because nobody trusts it yet. */
async function writeNextCa({ folder, organisation }: CaOptions, from: number): Promise<X509Certificate> {
  const { nextCertificate, nextKey } = caPaths(folder)
  const issued = await issueCaCertificate(await ensureKey(nextKey), organisation, from)
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

/** As `gatewayctl portal ca` prints it, so that the two can be compared. */
export const validFrom = ({ validFromDate }: X509Certificate) => validFromDate.toISOString().replace('.000Z', 'Z')

/** A CA is valid an hour before it is used, for clients whose clock is slow. */
function activeFrom({ certificate }: KeyPair): number {
  return new X509Certificate(certificate).validFromDate.getTime() + BACKDATED_MS
}

async function readPair(certificatePath: string, keyPath: string): Promise<KeyPair | undefined> {
  const certificate = await readIfPresent(certificatePath)
  if (certificate === undefined) return undefined
  const keyText = await readIfPresent(keyPath)
  if (keyText === undefined) throw new UnusableCa(`${certificatePath} exists, but ${keyPath} is missing`)
  const key = parseKey(keyText)
  if (key === undefined) throw new UnusableCa(`${keyPath} is not a private key`)
  const parsed = parseCertificate(certificate)
  if (parsed?.ca !== true) throw new UnusableCa(`${certificatePath} is not a CA certificate`)
  if (!parsed.checkPrivateKey(key)) throw new UnusableCa(`${certificatePath} and ${keyPath} do not match`)
  return { certificate, key }
}
