// The two leaves of the interception CA: the portal's, and that of the control API.
import { type KeyObject, X509Certificate } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { commonNameOf, DAY_MS, generatePrivateKey, issueLeafCertificate, type KeyPair, LEAF_DAYS } from './issue.ts'
import { type Pair, readPair, writePair } from './pair-file.ts'
import { parseCertificate, readIfPresent, toPem, writePublic } from './pem-files.ts'

export interface Leaf {
  readonly ca: KeyPair
  /** Host names and addresses, each once. The first one is the common name. */
  readonly names: readonly string[]
  /** Milliseconds. */
  readonly now: number
}

const OWNER_ONLY = 0o600

/** A renewed certificate keeps its key, so that the two match whichever of them a terminator reads first. */
export async function ensurePortalLeaf(path: string, key: KeyObject, leaf: Leaf): Promise<void> {
  const present = parseCertificate(await readIfPresent(path))
  if (isUsable(present, leaf) && present.checkPrivateKey(key)) return
  await writePublic(path, await issueLeafCertificate(leaf.ca, key, leaf.names, leaf.now))
}

/** Key and certificate in one file, for this engine and those that read them. */
export async function ensureControlLeaf(path: string, leaf: Leaf): Promise<Pair['pem']> {
  const present = await readPair(path)
  if (
    present.reason === undefined &&
    isUsable(present.certificate, leaf) &&
    ((await lstat(path)).mode & 0o777) === OWNER_ONLY
  )
    return present.pem
  const key = generatePrivateKey()
  const issued = { cert: await issueLeafCertificate(leaf.ca, key, leaf.names, leaf.now), key: toPem(key) }
  await writePair(path, issued, OWNER_ONLY)
  return issued
}

export function coversName(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined
}

/** Whether the CA signed it for exactly these names, and more than a third of its lifetime is left. */
function isUsable(leaf: X509Certificate | undefined, { ca, names, now }: Leaf): leaf is X509Certificate {
  if (leaf === undefined) return false
  const sans = leaf.subjectAltName?.split(', ') ?? []
  const isFresh = leaf.validFromDate.getTime() <= now && now < leaf.validToDate.getTime() - (LEAF_DAYS / 3) * DAY_MS
  const isOurs = leaf.verify(new X509Certificate(ca.certificate).publicKey)
  const isForNames = sans.length === names.length && names.every((name) => coversName(leaf, name))
  const commonName = commonNameOf(names)
  const isNamed = (leaf.subject ?? '') === (commonName === undefined ? '' : `CN=${commonName}`)
  return isFresh && isOurs && isForNames && isNamed
}
