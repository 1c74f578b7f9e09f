// What the engine publishes: the interception CA's certificate for the portal, and the portal's leaf and key for the
// terminator. Existing files that are still usable stay. Call it repeatedly: each call renews what is due.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../state/expiring-map.ts'
import { ensureCa } from './ca.ts'
import { DAY_MS, generatePrivateKey, issueLeafCertificate, type KeyPair, LEAF_DAYS } from './issue.ts'
import { ensureKey, parseCertificate, readIfPresent, toPem, writePublic } from './pem-files.ts'

export interface PublishOptions {
  readonly folder: string
  /** The organisation in the CA's subject. */
  readonly organisation: string
  /** Host of the portal's base URL. */
  readonly portalHost: string
  /** Further names and addresses of the portal. */
  readonly portalNames?: readonly string[]
  /** Whether the group of the portal's private key may read it, for a terminator that runs as another user. */
  readonly groupReadsKey?: boolean
  /** Further names of the control API. */
  readonly controlNames: readonly string[]
  readonly clock: Clock
}

/** The control API's certificate and key, as PEM. */
export interface ControlCertificate {
  readonly cert: string
  readonly key: string
}

/** The running control API. */
export interface ControlApi {
  readonly certificate: ControlCertificate
  /** New connections get this certificate. */
  useCertificate(certificate: ControlCertificate): void
}

/** The extension's object identifier, 2.5.29.31, in DER. */
const CRL_DISTRIBUTION_POINTS = Buffer.from('0603551d1f', 'hex')
const CONTROL_NAMES = ['localhost', '127.0.0.1', '::1', 'engine']

/**
 * Creates what is missing or due under the folder, and a certificate for the control API, which is never written:
 * - `ca/ca.crt`: the CA's certificate, for portals and clients
 * - `terminator/portal.crt`, `terminator/portal.key`: the portal's leaf, for the TLS terminator
 * - `engine/ca.key`: the CA's key, for the engine only
 * - `ca/ca-next.crt`, `engine/ca-next.key`: the next CA, which replaces the current one on its day
 * @param control gets a new certificate when its own is due, and before the CA changes
 * @returns the certificate for the control API
 * @throws {UnusableCa} when a CA in the folder is incomplete, corrupt or not valid
 */
export async function publishCertificates(options: PublishOptions, control?: ControlApi): Promise<ControlCertificate> {
  const { folder, organisation, portalHost, portalNames = [] } = options
  const now = options.clock()
  await makeFolder(join(folder, 'ca'), 0o755)
  await makeFolder(join(folder, 'terminator'), 0o755)
  await makeFolder(join(folder, 'engine'), 0o700)

  const controlNames = [...CONTROL_NAMES, ...options.controlNames]
  let certificate = control?.certificate
  const renewFor = async (ca: KeyPair) => {
    if (isUsableLeaf(parseCertificate(certificate?.cert), ca, controlNames, now)) return
    const key = generatePrivateKey()
    const cert = await issueLeafCertificate(ca, key, unique(controlNames), now)
    certificate = { cert, key: toPem(key) }
    control?.useCertificate(certificate)
  }

  const ca = await ensureCa({ folder, organisation, now }, renewFor)
  await renewFor(ca)
  const key = await ensureKey(join(folder, 'terminator', 'portal.key'), options.groupReadsKey)
  await ensurePortalLeaf(join(folder, 'terminator', 'portal.crt'), ca, key, [portalHost, ...portalNames], now)
  return certificate as ControlCertificate
}

async function makeFolder(path: string, mode: number): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode })
  // The umask may have removed bits.
  if (made !== undefined) await chmod(path, mode)
}

/**
 * The key stays when the certificate is renewed, so that the two match whichever of them a terminator reads first.
 */
async function ensurePortalLeaf(
  path: string,
  ca: KeyPair,
  key: KeyObject,
  hosts: readonly string[],
  now: number,
): Promise<void> {
  const names = unique(hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1')))
  const present = parseCertificate(await readIfPresent(path))
  if (isUsableLeaf(present, ca, names, now) && present.checkPrivateKey(key)) return
  await writePublic(path, await issueLeafCertificate(ca, key, names, now))
}

/** Whether the CA signed it for exactly these names, and more than a third of its lifetime is left. */
function isUsableLeaf(
  leaf: X509Certificate | undefined,
  ca: KeyPair,
  names: readonly string[],
  now: number,
): leaf is X509Certificate {
  if (leaf === undefined) return false
  const sans = leaf.subjectAltName?.split(', ') ?? []
  const coversName = (name: string) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined
  const isFresh = leaf.validFromDate.getTime() <= now && now < leaf.validToDate.getTime() - (LEAF_DAYS / 3) * DAY_MS
  const isOurs = leaf.verify(new X509Certificate(ca.certificate).publicKey)
  return (
    isFresh && isOurs && !namesRevocationList(leaf) && sans.length === unique(names).length && names.every(coversName)
  )
}

/** Engines before 2026.48.0 could issue such a leaf. Clients would wait for a list that is no longer renewed. */
function namesRevocationList(leaf: X509Certificate): boolean {
  return leaf.raw.includes(CRL_DISTRIBUTION_POINTS)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
