// Compares the certificate page and its downloads with the published file.

import { base64Lines } from '../../../certificate/apple-profile.ts'
import { type CaCertificate, parseCaCertificate } from '../../../certificate/ca-certificate.ts'
import type { PublishedCa } from '../../../certificate/watch.ts'
import { type Finding, failing, verdictOn } from '../../doctor/finding.ts'
import type { Response } from '../../doctor/request.ts'
import type { Deployment } from './deployment.ts'

/** External parts of a page: over plain http they would come from an address that is not trusted yet. */
const FETCHED =
  /<(?:script|img|iframe|source|audio|video)\b[^>]*\ssrc\s*=(?!\s*["']?data:)|<link\b[^>]*\srel\s*=\s*["']?stylesheet|@import/i

export function pageFaults({ status, headers, body }: Response, { certificate }: PublishedCa): readonly string[] {
  if (status !== 200) {
    return [`${status} instead of 200${headers.location === undefined ? '' : `, to ${headers.location}`}`]
  }
  const page = body.toString()
  // The page marks the fingerprint's groups.
  const hasFingerprint = page.replace(/<[^>]*>/g, '').includes(certificate.sha256)
  return [
    ...(hasFingerprint ? [] : ['it does not show the fingerprint of the certificate that is published here']),
    ...(FETCHED.test(page) ? ['it needs further requests'] : []),
  ]
}

export async function checkCertificatePage({
  ca,
  address,
  requestSecure,
  missingCaReason,
  inspection,
}: Deployment): Promise<Finding> {
  const tried = `GET ${address.baseUrl}/ca`
  const response = await requestSecure('/ca')
  if (ca !== undefined) {
    return verdictOn('ca-page', tried, pageFaults(response, ca), {
      detail: 'the page, with the published fingerprint',
      advice:
        'set GATEWAY_CAPTIVE_CA_PATH to the same file for portal and gatewayctl, and do not rewrite the page in front of the portal',
    })
  }
  if (!inspection) {
    return verdictOn('ca-page', tried, response.status === 404 ? [] : [`${response.status} instead of 404`], {
      detail: '404, because inspection is off',
      advice: 'set GATEWAY_CAPTIVE_SSL_BUMP to the same value for the portal as here',
    })
  }
  const advice =
    'run this where the engine’s published CA can be read, or have the engine publish one; see GATEWAY_CAPTIVE_CA_PATH'
  return failing('ca-page', tried, `${response.status}; here ${missingCaReason}`, advice)
}

export async function checkDownloads({
  ca,
  address,
  plainOrigin,
  requestPlain,
  requestSecure,
}: Deployment): Promise<Finding | undefined> {
  if (ca === undefined) return undefined
  const faults: string[] = []
  const origins = address.secure
    ? ([
        [plainOrigin, requestPlain],
        [address.baseUrl, requestSecure],
      ] as const)
    : ([[address.baseUrl, requestSecure]] as const)
  for (const [origin, send] of origins) {
    for (const [file, holds] of DOWNLOADS) {
      const { status, body } = await send(file)
      if (status !== 200) faults.push(`${origin}${file}: ${status} instead of 200`)
      else if (!holds(body, ca.certificate)) faults.push(`${origin}${file}: not the certificate that is published here`)
    }
  }
  const tried = `GET ${origins.map(([origin]) => origin).join(' and ')} with ${DOWNLOADS.map(([file]) => file).join(', ')}`
  return verdictOn('ca-downloads', tried, faults, {
    detail: 'the published certificate in every format',
    advice:
      'do not cache or change these files in front of the portal, and configure portal and gatewayctl to read the same file',
  })
}

type Holds = (body: Buffer, certificate: CaCertificate) => boolean

const isCertificate: Holds = (body, { sha256 }) => {
  const found = parseCaCertificate(body)
  return 'sha256' in found && found.sha256 === sha256
}

const DOWNLOADS: readonly (readonly [string, Holds])[] = [
  ['/ca.crt', isCertificate],
  ['/ca.cer', isCertificate],
  ['/ca.mobileconfig', (body, { der }) => body.includes(base64Lines(der))],
]
