// Whether the proxy decrypts with the published CA, and for how long that is valid.
import type { PeerCertificate } from 'node:tls'
import { type Finding, failing, skipped, verdictOn } from '../doctor/finding.ts'
import type { Gateway } from './gateway.ts'
import type { Probe } from './probe.ts'

const DAY_MS = 86_400_000
/** The engine renews it when 20 days are left. */
const SOON_DAYS = 15
const FOLLOW =
  'configure Squid to sign with bump/ca.pem of the folder that the engine publishes into, and run squid -k reconfigure after each renewal (the shipped proxy does both); restart Squid after a CA rotation'

export function checkDecryption({ name, published, ownRoots }: Gateway, { host, decrypted }: Probe): Finding {
  const tried = `TLS to https://${host} through ${name}`
  if (decrypted instanceof Error) {
    return failing(
      'decrypts',
      tried,
      decrypted.message,
      'configure Squid to bump connections: ssl_bump bump, on an http_port with ssl-bump',
    )
  }
  const { certificate, fault } = decrypted.tls as NonNullable<typeof decrypted.tls>
  const issuer = issuerOf(certificate)
  const seen = `a certificate issued by ${nameOf(issuer)}`
  const { proxyCa } = published
  if ('reason' in ownRoots) return skipped('decrypts', tried, `${seen}; not compared: ${ownRoots.reason}`)
  const isOther = !('reason' in proxyCa) && issuer?.fingerprint256 !== proxyCa.fingerprint256
  const faults = [
    ...(fault === undefined ? [] : [`${seen} instead of one that leads to the published CA: ${fault}`]),
    ...(isOther
      ? [`Squid signs with ${described(issuer)}, instead of the published ${described(proxyCa.toLegacyObject())}`]
      : []),
  ]
  const remark = 'reason' in proxyCa ? `; not compared with bump/ca.pem: ${proxyCa.reason}` : ''
  return verdictOn('decrypts', tried, faults, {
    detail: `${seen}, under the published CA${remark}`,
    advice: FOLLOW,
  })
}

export function checkProxyCa({ published }: Gateway, { decrypted }: Probe, now: number): Finding {
  const tried = 'the validity of the CA that the proxy signs with, as sent and as published'
  const sent = decrypted instanceof Error ? undefined : issuerOf(decrypted.tls?.certificate)
  const { proxyCa } = published
  const all = [sent, 'reason' in proxyCa ? undefined : proxyCa.toLegacyObject()].filter((ca) => ca !== undefined)
  const [first] = all.toSorted((one, other) => Date.parse(one.valid_to) - Date.parse(other.valid_to))
  if (first === undefined) {
    return skipped('proxy-ca', tried, `none was seen; ${'reason' in proxyCa ? proxyCa.reason : ''}`)
  }
  const days = Math.floor((Date.parse(first.valid_to) - now) / DAY_MS)
  const seen = `${nameOf(first)}: ${days} days left, until ${iso(first.valid_to)}`
  return verdictOn('proxy-ca', tried, days < SOON_DAYS ? [`${seen}; the engine renews it when 20 are left`] : [], {
    detail: seen,
    advice:
      'look for warnings about the proxy’s CA in the engine’s log, and for a next CA rotation (docs/certificates.md); have Squid read the renewed file: squid -k reconfigure',
  })
}

/** Undefined where the proxy sends the leaf alone. */
export function issuerOf(certificate: PeerCertificate | undefined): PeerCertificate | undefined {
  const issuer = (certificate as { readonly issuerCertificate?: PeerCertificate } | undefined)?.issuerCertificate
  return issuer === certificate ? undefined : issuer
}

export function nameOf(certificate: Pick<PeerCertificate, 'subject'> | undefined): string {
  return certificate === undefined ? 'nobody' : String(certificate.subject?.CN ?? 'a CA without a name')
}

function described(certificate: PeerCertificate | undefined): string {
  return certificate === undefined ? 'no CA' : `${nameOf(certificate)} (until ${iso(certificate.valid_to)})`
}

function iso(time: string): string {
  return new Date(time).toISOString().replace('.000Z', 'Z')
}
