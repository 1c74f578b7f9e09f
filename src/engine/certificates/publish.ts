// What the engine publishes: the interception CA's certificate for the portal, the portal's leaf and key for the
// terminator, and the CA's key for nobody. Whatever is there and still good stays; it may be called again at any time.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../expiring-map.ts'
import { writeFileAtomically } from './atomic-file.ts'
import { generatePrivateKey, issueCaCertificate, issueLeafCertificate, type KeyPair, LEAF_DAYS } from './issue.ts'

export interface PublishOptions {
  readonly folder: string
  /** The organisation in the CA's subject. */
  readonly organisation: string
  /** Host of the portal's base URL. */
  readonly portalHost: string
  /** Names of the control API beside the built-in ones. */
  readonly controlNames: readonly string[]
  readonly clock: Clock
}

/** The CA in the folder cannot be used, and making another one would undo what clients have been told to trust. */
export class UnusableCa extends Error {}

const CONTROL_NAMES = ['localhost', '127.0.0.1', '::1', 'engine']
const DAY_MS = 24 * 60 * 60 * 1000
const SECRET = 0o600
const PUBLIC = 0o644

/**
 * Makes what is missing under the folder, and a certificate for the control API, which is never written:
 * - `ca/ca.crt`: the CA's certificate, for portals and clients
 * - `terminator/portal.crt`, `terminator/portal.key`: the portal's leaf, for the TLS terminator
 * - `engine/ca.key`: the CA's key, for the engine alone
 * @returns PEM of the control API's certificate and key
 * @throws {UnusableCa} when the CA in the folder is half there, broken or expired
 */
export async function publishCertificates(options: PublishOptions): Promise<{ cert: string; key: string }> {
  const { folder, clock, controlNames } = options
  await makeFolder(join(folder, 'ca'), 0o755)
  await makeFolder(join(folder, 'terminator'), 0o755)
  await makeFolder(join(folder, 'engine'), 0o700)
  const ca = await keepCa(join(folder, 'ca', 'ca.crt'), join(folder, 'engine', 'ca.key'), options)
  await keepPortalLeaf(join(folder, 'terminator'), ca, options)
  const key = generatePrivateKey()
  const names = [...new Set([...CONTROL_NAMES, ...controlNames])]
  return { cert: await issueLeafCertificate(ca, key, names, clock()), key: toPem(key) }
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode })
}

async function keepCa(certificatePath: string, keyPath: string, options: PublishOptions): Promise<KeyPair> {
  const certificate = await readIfThere(certificatePath)
  const keyText = await readIfThere(keyPath)
  if (certificate === undefined) {
    // A key without a certificate is what a kill between the two leaves: nobody trusts it yet.
    const key = (keyText === undefined ? undefined : parseKey(keyText)) ?? (await writeKey(keyPath))
    const issued = await issueCaCertificate(key, options.organisation, options.clock())
    await writeFileAtomically(certificatePath, issued, PUBLIC)
    return { certificate: issued, key }
  }
  if (keyText === undefined) throw new UnusableCa(`${certificatePath} is there, but ${keyPath} is not`)
  const key = parseKey(keyText)
  if (key === undefined) throw new UnusableCa(`${keyPath} is no private key`)
  const parsed = parseCertificate(certificate)
  if (parsed?.ca !== true) throw new UnusableCa(`${certificatePath} is no CA certificate`)
  if (!parsed.checkPrivateKey(key)) throw new UnusableCa(`${certificatePath} does not belong to ${keyPath}`)
  if (!isValid(parsed, options.clock())) throw new UnusableCa(`${certificatePath} is not valid at this time`)
  return { certificate, key }
}

/** The key stays when the certificate is renewed, so that the two files belong together at every moment. */
async function keepPortalLeaf(folder: string, ca: KeyPair, { portalHost, clock }: PublishOptions): Promise<void> {
  const certificatePath = join(folder, 'portal.crt')
  const keyPath = join(folder, 'portal.key')
  const key = parseKey((await readIfThere(keyPath)) ?? '') ?? (await writeKey(keyPath))
  const present = parseCertificate((await readIfThere(certificatePath)) ?? '')
  const host = portalHost.replace(/^\[(.*)\]$/, '$1')
  if (present !== undefined && isGoodLeaf(present, { ca, key, host, now: clock() })) return
  await writeFileAtomically(certificatePath, await issueLeafCertificate(ca, key, [host], clock()), PUBLIC)
}

function isGoodLeaf(
  leaf: X509Certificate,
  { ca, key, host, now }: { ca: KeyPair; key: KeyObject; host: string; now: number },
): boolean {
  // Renewed when a third of its life is left.
  const isFresh = isValid(leaf, now + (LEAF_DAYS / 3) * DAY_MS)
  const isNamed = isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)
  const isOurs = leaf.verify(new X509Certificate(ca.certificate).publicKey) && leaf.checkPrivateKey(key)
  return isFresh && isNamed !== undefined && isOurs
}

function isValid({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now < validToDate.getTime()
}

async function writeKey(path: string): Promise<KeyObject> {
  const key = generatePrivateKey()
  await writeFileAtomically(path, toPem(key), SECRET)
  return key
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
