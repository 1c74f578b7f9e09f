// The CA's revocation list, for clients that refuse a certificate whose list they cannot get. It is empty: a leaf lives 90
// days and is replaced, never revoked.
// @peculiar/x509 wants it before it loads.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { BACKDATED_MS, DAY_MS, type KeyPair, SIGNATURE, signingKey, verifyingKey } from './issue.ts'
import { readBytesIfThere, writePublic } from './pem-files.ts'

/** A client may keep a list for so long. It is made anew after a day, so that a copy of it need not be made every minute. */
const LIST_DAYS = 7
const RENEWED_AFTER_DAYS = 1
const CRL_NUMBER = '2.5.29.20'

/** Makes the list (DER) where it is missing, broken, another CA's, or a day old. */
export async function keepRevocationList(path: string, ca: KeyPair, now: number): Promise<void> {
  if (await isGoodList(await readBytesIfThere(path), ca, now)) return
  await writePublic(path, await issueRevocationList(ca, now))
}

async function issueRevocationList(ca: KeyPair, now: number): Promise<Uint8Array> {
  const list = await x509.X509CrlGenerator.create({
    issuer: new x509.X509Certificate(ca.certificate).subjectName,
    thisUpdate: new Date(now - BACKDATED_MS),
    nextUpdate: new Date(now + LIST_DAYS * DAY_MS),
    signingKey: await signingKey(ca.key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      await x509.AuthorityKeyIdentifierExtension.create(await verifyingKey(ca.key)),
      new x509.Extension(CRL_NUMBER, false, listNumber(now)),
    ],
  })
  return new Uint8Array(list.rawData)
}

/** It has to grow from list to list, also over a lost file: milliseconds, six bytes of a positive integer until 6429. */
function listNumber(now: number): Uint8Array {
  const der = Buffer.from([0x02, 6, 0, 0, 0, 0, 0, 0])
  der.writeUIntBE(now, 2, 6)
  return der
}

async function isGoodList(der: Uint8Array | undefined, ca: KeyPair, now: number): Promise<boolean> {
  const list = parseList(der)
  if (list?.nextUpdate === undefined) return false
  const renewal = list.nextUpdate.getTime() - (LIST_DAYS - RENEWED_AFTER_DAYS) * DAY_MS
  const isFresh = list.thisUpdate.getTime() <= now && now < renewal
  return isFresh && (await list.verify({ publicKey: await verifyingKey(ca.key) }))
}

function parseList(der: Uint8Array | undefined): x509.X509Crl | undefined {
  try {
    return der === undefined ? undefined : new x509.X509Crl(new Uint8Array(der))
  } catch {
    return undefined
  }
}
