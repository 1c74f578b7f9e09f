// What the engine publishes: the interception CA's certificate for the portal, the portal's leaf and key for the
// terminator, and the CA's key for nobody. Whatever is there and still good stays; it may be called again at any time,
// and has to be, so that what becomes due is done.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../state/expiring-map.ts'
import { keepCa } from './ca.ts'
import { DAY_MS, generatePrivateKey, issueLeafCertificate, type KeyPair, LEAF_DAYS } from './issue.ts'
import { keepKey, parseCertificate, readIfThere, toPem, writePublic } from './pem-files.ts'

export interface PublishOptions {
  readonly folder: string
  /** The organisation in the CA's subject. */
  readonly organisation: string
  /** Host of the portal's base URL. */
  readonly portalHost: string
  /** Names and addresses of the portal beside it. */
  readonly portalNames?: readonly string[]
  /** Whether the group of the portal's private key may read it, for a terminator that runs as another user. */
  readonly groupReadsKey?: boolean
  /** Names of the control API beside the built-in ones. */
  readonly controlNames: readonly string[]
  readonly clock: Clock
}

/** The control API's certificate and key, as PEM. */
export interface ControlCertificate {
  readonly cert: string
  readonly key: string
}

/** The control API that is running. */
export interface ControlApi {
  readonly certificate: ControlCertificate
  /** From now on. */
  present(certificate: ControlCertificate): void
}

/** The extension's object identifier, 2.5.29.31, in DER. */
const CRL_DISTRIBUTION_POINTS = Buffer.from('0603551d1f', 'hex')
const CONTROL_NAMES = ['localhost', '127.0.0.1', '::1', 'engine']

/**
 * Makes what is missing or due under the folder, and a certificate for the control API, which is never written:
 * - `ca/ca.crt`: the CA's certificate, for portals and clients
 * - `terminator/portal.crt`, `terminator/portal.key`: the portal's leaf, for the TLS terminator
 * - `engine/ca.key`: the CA's key, for the engine alone
 * - `ca/ca-next.crt`, `engine/ca-next.key`: the CA that follows, which takes the place of the first once its time has come
 * @param control presents a new certificate where its own is due, and before the CA that signed it changes
 * @returns the certificate that the control API has to present
 * @throws {UnusableCa} when a CA in the folder is half there, broken or not valid
 */
export async function publishCertificates(options: PublishOptions, control?: ControlApi): Promise<ControlCertificate> {
  const { folder, organisation, portalHost, portalNames = [] } = options
  const now = options.clock()
  await makeFolder(join(folder, 'ca'), 0o755)
  await makeFolder(join(folder, 'terminator'), 0o755)
  await makeFolder(join(folder, 'engine'), 0o700)

  const controlNames = [...CONTROL_NAMES, ...options.controlNames]
  let certificate = control?.certificate
  const presentFrom = async (ca: KeyPair) => {
    if (isGoodLeaf(parseCertificate(certificate?.cert), ca, controlNames, now)) return
    const key = generatePrivateKey()
    const cert = await issueLeafCertificate(ca, key, unique(controlNames), now)
    certificate = { cert, key: toPem(key) }
    control?.present(certificate)
  }

  const ca = await keepCa({ folder, organisation, now }, presentFrom)
  await presentFrom(ca)
  const key = await keepKey(join(folder, 'terminator', 'portal.key'), options.groupReadsKey)
  await keepPortalLeaf(join(folder, 'terminator', 'portal.crt'), ca, key, [portalHost, ...portalNames], now)
  return certificate as ControlCertificate
}

async function makeFolder(path: string, mode: number): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode })
  // The process's umask may have taken something away.
  if (made !== undefined) await chmod(path, mode)
}

/**
 * The key stays when the certificate is renewed, so that the two belong together at every moment, whichever of them a
 * terminator reads first.
 */
async function keepPortalLeaf(
  path: string,
  ca: KeyPair,
  key: KeyObject,
  hosts: readonly string[],
  now: number,
): Promise<void> {
  const names = unique(hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1')))
  const present = parseCertificate(await readIfThere(path))
  if (isGoodLeaf(present, ca, names, now) && present.checkPrivateKey(key)) return
  await writePublic(path, await issueLeafCertificate(ca, key, names, now))
}

/** Whether the CA signed it, for these names and no others, and more than a third of its life is left. */
function isGoodLeaf(
  leaf: X509Certificate | undefined,
  ca: KeyPair,
  names: readonly string[],
  now: number,
): leaf is X509Certificate {
  if (leaf === undefined) return false
  const inIt = leaf.subjectAltName?.split(', ') ?? []
  const isNamed = (name: string) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined
  const isFresh = leaf.validFromDate.getTime() <= now && now < leaf.validToDate.getTime() - (LEAF_DAYS / 3) * DAY_MS
  const isOurs = leaf.verify(new X509Certificate(ca.certificate).publicKey)
  return isFresh && isOurs && !namesRevocationList(leaf) && inIt.length === unique(names).length && names.every(isNamed)
}

/** Engines before 2026.48.0 could issue such a leaf. Clients would wait for a list that nobody renews. */
function namesRevocationList(leaf: X509Certificate): boolean {
  return leaf.raw.includes(CRL_DISTRIBUTION_POINTS)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
