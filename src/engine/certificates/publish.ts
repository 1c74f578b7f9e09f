// What the engine publishes, each program's files in a separate folder: for the portal, the terminator, the proxy, and other
// engines. Existing files that are still usable stay. Call it repeatedly: each call renews what is due.
import { join } from 'node:path'
import { makeFolder } from '../files/folders.ts'
import { ensureCa } from './ca.ts'
import type { KeyPair } from './issue.ts'
import { ensureControlLeaf, ensurePortalLeaf } from './leaf.ts'
import type { Pair } from './pair-file.ts'
import { ensureKey } from './pem-files.ts'
import { ensureProxyCa, type ProxyCa } from './proxy-ca.ts'

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
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The control API's certificate and key, as PEM. */
export type ControlCertificate = Pair['pem']

/** The listeners that use the control API's certificate. */
export interface CertificateUser {
  readonly certificate: ControlCertificate
  /** New connections get this certificate. */
  useCertificate(certificate: ControlCertificate): void
}

export interface Published {
  readonly controlCertificate: ControlCertificate
  readonly proxyCa: ProxyCa
}

const CONTROL_NAMES = ['localhost', '127.0.0.1', '::1', 'engine']

/** Where the control API's certificate and key are. */
export function controlFile(folder: string): string {
  return join(folder, 'control', 'control.pem')
}

/**
 * Creates what is missing or due under the folder:
 * - `ca/ca.crt`: the CA's certificate, for portals and clients
 * - `terminator/portal.crt`, `terminator/portal.key`: the portal's leaf, for the TLS terminator
 * - `bump/ca.pem`: the proxy's intermediate CA
 * - `control/control.pem`: the control API's leaf, for all engines
 * - `engine/ca.key`: the CA's key, for this engine only
 * - `ca/ca-next.crt`, `engine/ca-next.key`: the next CA, which replaces the current one on its day
 * @param control gets a new certificate when its own is due, and before the CA changes
 * @throws {UnusableCa} when a CA in the folder is incomplete, corrupt or not valid
 */
export async function publishCertificates(options: PublishOptions, control?: CertificateUser): Promise<Published> {
  const { folder, organisation, portalHost, portalNames = [] } = options
  const now = options.clock()
  await makeFolder(join(folder, 'ca'), 0o755)
  await makeFolder(join(folder, 'terminator'), 0o755)
  await makeFolder(join(folder, 'control'), 0o700)
  await makeFolder(join(folder, 'engine'), 0o700)

  const controlNames = unique([...CONTROL_NAMES, ...options.controlNames])
  let controlCertificate: ControlCertificate | undefined
  const renewControl = async (ca: KeyPair) => {
    const issued = await ensureControlLeaf(controlFile(folder), { ca, names: controlNames, now })
    if (control !== undefined && issued.cert !== control.certificate.cert) control.useCertificate(issued)
    controlCertificate = issued
    return issued
  }

  const ca = await ensureCa({ folder, organisation, now }, renewControl)
  controlCertificate ??= await renewControl(ca)
  const key = await ensureKey(join(folder, 'terminator', 'portal.key'), options.groupReadsKey)
  // The first one is the common name: the hostname that the operator has set.
  const hosts = [...portalNames, portalHost].map((host) => host.replace(/^\[(.*)\]$/, '$1'))
  await ensurePortalLeaf(join(folder, 'terminator', 'portal.crt'), key, { ca, names: unique(hosts), now })
  return { controlCertificate, proxyCa: await ensureProxyCa({ folder, organisation, now }, ca) }
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
