// How the proxy treats the certificates of origins: those of exempt hosts reach the browser, invalid ones end the request.
import { connect, type PeerCertificate } from 'node:tls'
import { spelled } from '../../published/domains.ts'
import { type Finding, failing, ok, skipped, verdictOn } from '../doctor/finding.ts'
import { connectThrough, sendThrough } from '../doctor/proxy.ts'
import type { Unknown } from '../unknown.ts'
import { issuerOf, nameOf } from './decryption.ts'
import type { Gateway } from './gateway.ts'
import { describe, isOutage, type Probe } from './probe.ts'
import { verificationFaults } from './squid-configuration.ts'

/** Of the published ones, until one responds. */
const MAXIMUM_HOSTS = 5
const TIMEOUT_MS = 10_000
const UNTRUSTED = 'ERR_SECURE_CONNECT_FAIL'

export async function checkExempt(gateway: Gateway, probe: Probe, given: string | undefined): Promise<Finding> {
  const { exemptHosts } = gateway.published
  const published = 'reason' in exemptHosts ? [] : exemptHosts.map(({ host }) => spelled(host))
  const names = given !== undefined ? [given] : published.slice(0, MAXIMUM_HOSTS)
  const tried = `TLS to exempt hosts through ${gateway.name}: ${names.join(', ') || 'none'}`
  if (names.length === 0) {
    return skipped('exempt', tried, 'reason' in exemptHosts ? exemptHosts.reason : 'no host is exempt')
  }
  // Squid decrypts a connection also to show an error page in it.
  if (isOutage(probe.decrypted)) {
    return skipped('exempt', tried, `the engine does not respond to the proxy: ${describe(probe.decrypted)}`)
  }
  const ownCa = probe.decrypted instanceof Error ? undefined : issuerOf(probe.decrypted.tls?.certificate)
  const attempts = await Promise.all(names.map((name) => certificateOf(gateway, name)))
  const shown = attempts.flatMap((attempt) => ('reason' in attempt ? [] : [attempt]))
  const decrypted = shown.filter(({ leaf }) => isSigned(leaf, ownCa, gateway))
  if (decrypted.length > 0) {
    return failing(
      'exempt',
      tried,
      `the proxy decrypts ${decrypted.map(({ name }) => name).join(', ')}`,
      'configure Squid to splice the hosts of proxy/exempt-hosts, and run squid -k reconfigure when the file has changed (the shipped proxy does both)',
    )
  }
  const [own] = shown
  if (own === undefined) {
    const reasons = attempts.flatMap((attempt) => ('reason' in attempt ? [attempt.reason] : []))
    return skipped('exempt', tried, `no response (${reasons[0]}); --exempt names a host that responds`)
  }
  const { name, leaf } = own
  return ok('exempt', tried, `${name} has its own certificate, issued by ${leaf.issuer?.CN ?? leaf.issuer?.O}`)
}

/** Whether the proxy's CA issued it, as another connection showed it or as it is published. */
function isSigned(leaf: PeerCertificate, ca: PeerCertificate | undefined, { published }: Gateway): boolean {
  const fingerprints = [
    ca?.fingerprint256,
    'reason' in published.proxyCa ? undefined : published.proxyCa.fingerprint256,
  ]
  const issuer = issuerOf(leaf)
  return issuer !== undefined && fingerprints.includes(issuer.fingerprint256)
}

interface Shown {
  readonly name: string
  readonly leaf: PeerCertificate
}

/** The certificate that the host presents. No request is sent. */
async function certificateOf({ proxy }: Gateway, name: string): Promise<Shown | Unknown> {
  const connected = await connectThrough(proxy, `${name}:443`).catch((error: Error) => error)
  if (connected instanceof Error) return { reason: `${name}: ${connected.message}` }
  if (connected.socket === undefined) return { reason: `${name}: ${connected.status} for CONNECT` }
  const { promise, resolve } = Promise.withResolvers<Shown | Unknown>()
  const fail = (why: string) => resolve({ reason: `${name}: ${why}` })
  const socket = connect({ socket: connected.socket, servername: name, rejectUnauthorized: false })
  const timer = setTimeout(() => fail('timed out after 10 s'), TIMEOUT_MS)
  socket.once('secureConnect', () => resolve({ name, leaf: socket.getPeerCertificate(true) }))
  socket.on('error', ({ code, message }: NodeJS.ErrnoException) => fail(code ?? message))
  socket.once('close', () => fail('the connection was closed'))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** The access rules would deny an origin on this machine: the operator names a site, or the configuration is checked. */
export async function checkVerification(gateway: Gateway, url: URL | undefined): Promise<Finding> {
  const { configuration, configurationPath, proxy, name, roots } = gateway
  const advice =
    'remove sslproxy_cert_error allow, DONT_VERIFY_PEER and DONT_VERIFY_DOMAIN from Squid’s configuration, and restart Squid'
  if (url === undefined) {
    const tried = `sslproxy_cert_error and tls_outgoing_options in ${configurationPath}`
    if ('reason' in configuration) {
      const other = '--untrusted https://self-signed.badssl.com or another site with an invalid certificate tries it'
      return skipped('verifies', tried, `${configuration.reason}; ${other}`)
    }
    const faults = verificationFaults(configuration)
    return verdictOn('verifies', tried, faults, { detail: 'certificates of origins are verified', advice })
  }
  const tried = `GET ${url.href}, whose certificate is invalid, through ${name}`
  const response = await sendThrough(proxy, url, roots)
  if (response.tls?.fault !== undefined) {
    const issuer = nameOf(issuerOf(response.tls.certificate))
    return skipped('verifies', tried, `the proxy does not decrypt this host, or not with the published CA (${issuer})`)
  }
  const seen = describe(response)
  if (seen.includes(UNTRUSTED)) return ok('verifies', tried, seen)
  if (response.status >= 500 || response.status === 302 || response.status === 403) {
    return skipped(
      'verifies',
      tried,
      `${seen}: not about the certificate; name a site that responds and that the policy allows`,
    )
  }
  return failing('verifies', tried, `${seen} instead of 503 (${UNTRUSTED})`, advice)
}
