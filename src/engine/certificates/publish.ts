// What the engine publishes: the interception CA's certificate for the portal, the portal's leaf and key for the
// terminator, and the CA's key for nobody. Whatever is there and still good stays; it may be called again at any time,
// and has to be, so that what becomes due is done.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../expiring-map.ts'
import { keepCa } from './ca.ts'
import { crlUrlOf, DAY_MS, generatePrivateKey, issueLeafCertificate, type KeyPair, LEAF_DAYS } from './issue.ts'
import { keepKey, parseCertificate, readIfThere, toPem, writePublic } from './pem-files.ts'
import { keepRevocationList } from './revocation-list.ts'

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
  /** Where clients find the revocation list; none is published without it. */
  readonly crlUrl?: string | undefined
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

const CONTROL_NAMES = ['localhost', '127.0.0.1', '::1', 'engine']

/**
 * Makes what is missing or due under the folder, and a certificate for the control API, which is never written:
 * - `ca/ca.crt`: the CA's certificate, for portals and clients
 * - `terminator/portal.crt`, `terminator/portal.key`: the portal's leaf, for the TLS terminator
 * - `engine/ca.key`: the CA's key, for the engine alone
 * - `ca/ca-next.crt`, `engine/ca-next.key`: the CA that follows, which takes the place of the first once its time has come
 * - `revocation/ca.crl`: where certificates name a place for it, the CA's revocation list
 * @param control presents a new certificate where its own is due, and before the CA that signed it changes
 * @returns the certificate that the control API has to present
 * @throws {UnusableCa} when a CA in the folder is half there, broken or not valid
 */
export async function publishCertificates(options: PublishOptions, control?: ControlApi): Promise<ControlCertificate> {
  const { folder, organisation, portalHost, portalNames = [], crlUrl } = options
  const now = options.clock()
  await makeFolder(join(folder, 'ca'), 0o755)
  await makeFolder(join(folder, 'terminator'), 0o755)
  await makeFolder(join(folder, 'engine'), 0o700)

  const controlNames = [...CONTROL_NAMES, ...options.controlNames]
  let certificate = control?.certificate
  const presentFrom = async (ca: KeyPair) => {
    if (isGoodLeaf(parseCertificate(certificate?.cert), ca, controlNames, now, crlUrl)) return
    const key = generatePrivateKey()
    const cert = await issueLeafCertificate(ca, key, unique(controlNames), now, crlUrl)
    certificate = { cert, key: toPem(key) }
    control?.present(certificate)
  }

  const ca = await keepCa({ folder, organisation, now }, presentFrom)
  await presentFrom(ca)
  // Before the leaf that names it.
  if (crlUrl !== undefined) {
    await makeFolder(join(folder, 'revocation'), 0o755)
    await keepRevocationList(join(folder, 'revocation', 'ca.crl'), ca, now)
  }
  const key = await keepKey(join(folder, 'terminator', 'portal.key'), options.groupReadsKey)
  await keepPortalLeaf(join(folder, 'terminator', 'portal.crt'), ca, key, [portalHost, ...portalNames], now, crlUrl)
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
  crlUrl: string | undefined,
): Promise<void> {
  const names = unique(hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1')))
  const present = parseCertificate(await readIfThere(path))
  if (isGoodLeaf(present, ca, names, now, crlUrl) && present.checkPrivateKey(key)) return
  await writePublic(path, await issueLeafCertificate(ca, key, names, now, crlUrl))
}

/** Whether the CA signed it, for these names and this list and no others, and more than a third of its life is left. */
function isGoodLeaf(
  leaf: X509Certificate | undefined,
  ca: KeyPair,
  names: readonly string[],
  now: number,
  crlUrl: string | undefined,
): leaf is X509Certificate {
  if (leaf === undefined) return false
  const inIt = leaf.subjectAltName?.split(', ') ?? []
  const isNamed = (name: string) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined
  const isFresh = leaf.validFromDate.getTime() <= now && now < leaf.validToDate.getTime() - (LEAF_DAYS / 3) * DAY_MS
  const isOurs = leaf.verify(new X509Certificate(ca.certificate).publicKey)
  return isFresh && isOurs && crlUrlOf(leaf) === crlUrl && inIt.length === unique(names).length && names.every(isNamed)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
