// The base URL as a visitor's browser sees it: a trusted certificate, a healthy portal, and its headers.
import type { PeerCertificate } from 'node:tls'
import { type Finding, failing, skipped, verdictOn } from '../../doctor/finding.ts'
import type { Response } from '../../doctor/request.ts'
import type { Deployment } from './deployment.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 7

export async function checkTls(
  { address, requestSecure, ca, missingCaReason }: Deployment,
  now: number,
): Promise<Finding> {
  const tried = `TLS to ${address.baseUrl}`
  const { tls } = await requestSecure('/healthz')
  if (tls === undefined) return skipped('tls', tried, 'the base URL is plain http')
  const { certificate, fault } = tls
  const seen = describe(certificate)
  if (fault !== undefined) {
    const roots =
      ca === undefined ? `only the system’s roots (${missingCaReason})` : 'the published CA and the system’s roots'
    return failing('tls', `${tried}, with ${roots}`, `${fault}: ${seen}`, adviceFor(fault, address.hostname))
  }
  const days = Math.floor((Date.parse(certificate.valid_to) - now) / DAY_MS)
  const faults = days < SOON_DAYS ? [`it expires in ${days} days: ${seen}`] : []
  return verdictOn('tls', tried, faults, {
    detail: `trusted: ${seen}`,
    advice: 'check that the engine renews the portal’s certificate, and that the terminator reads the renewed one',
  })
}

function describe({ subject, issuer, valid_to }: PeerCertificate): string {
  const name = (of: typeof subject | undefined) => of?.CN ?? 'no name'
  return `${name(subject)}, issued by ${name(issuer)}, valid until ${valid_to}`
}

function adviceFor(fault: string, hostname: string): string {
  if (/ALTNAME|does not match|Hostname/i.test(fault)) {
    return `the certificate needs the name ${hostname} (GATEWAY_CAPTIVE_HOSTNAME, for the engine too); have the engine renew it`
  }
  if (/EXPIRED|NOT_YET_VALID/.test(fault)) {
    return 'check that the engine renews the certificate, that the terminator reads the renewed one, and that the clocks are right'
  }
  return 'configure the terminator to use the leaf that the engine issued under the published CA, with the complete chain'
}

export async function checkHealth({ address, requestSecure }: Deployment): Promise<Finding> {
  const tried = `GET ${address.baseUrl}/healthz`
  const { status, body, headers } = await requestSecure('/healthz')
  const { state, version } = parseHealth(body)
  const faults = [
    ...(status === 200 ? [] : [`${status} instead of 200`]),
    ...(state === 'ok' ? [] : ['its document does not report ok']),
    ...(headers['cross-origin-resource-policy'] === 'cross-origin'
      ? []
      : ['no Cross-Origin-Resource-Policy: cross-origin, which the certificate page’s trust test needs']),
  ]
  return verdictOn('health', tried, faults, {
    detail: `ok, version ${version}`,
    advice:
      'check that the portal runs, that the terminator’s upstream is the portal, and that it forwards headers unchanged',
  })
}

function parseHealth(body: Buffer): { readonly state?: unknown; readonly version?: unknown } {
  try {
    const document: unknown = JSON.parse(body.toString())
    if (typeof document !== 'object' || document === null) return {}
    return {
      ...('status' in document && { state: document.status }),
      ...('version' in document && { version: document.version }),
    }
  } catch {
    return {}
  }
}

/** The headers of a page (protocol v1, section 1). */
const WANTED: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'permissions-policy': /clipboard-write=\(self\)/,
  'x-robots-tag': /^noindex$/,
  'cache-control': /^no-store$/,
  'x-portal-version': /./,
  'x-frame-options': /^DENY$/,
  'content-security-policy':
    /^(?=.*default-src 'none')(?=.*connect-src 'self')(?=.*base-uri 'none')(?=.*form-action 'none')(?=.*frame-ancestors 'none')/,
}

const UNWANTED = ['strict-transport-security', 'x-powered-by', 'access-control-allow-origin']

export async function checkHeaders({ address, requestSecure }: Deployment): Promise<Finding> {
  const tried = `GET ${address.baseUrl}/privacy`
  const response = await requestSecure('/privacy')
  const wanted = { ...WANTED, ...(address.secure && { 'cross-origin-opener-policy': /^same-origin$/ }) }
  const names = Object.keys(wanted)
  const faults = [
    ...(response.status === 200 ? [] : [`${response.status} instead of 200`]),
    ...Object.entries(wanted).flatMap(([name, value]) => headerFault(response, name, value)),
    ...UNWANTED.filter((name) => response.headers[name] !== undefined).map((name) => `${name} is unexpected`),
    ...response.repeated.filter((name) => names.includes(name)).map((name) => `${name} is repeated`),
  ]
  return verdictOn('headers', tried, faults, {
    detail: `${names.length} security headers, as the portal sends them`,
    advice:
      "configure the terminator to forward the portal’s headers unchanged, and to add none; your own policy must allow connect-src 'self'; HSTS locks out devices after a CA rotation",
  })
}

function headerFault({ headers }: Response, name: string, wanted: RegExp): readonly string[] {
  const value = headers[name]
  if (value === undefined) return [`${name} is missing`]
  return wanted.test(String(value)) ? [] : [`${name} is ${value}`]
}
