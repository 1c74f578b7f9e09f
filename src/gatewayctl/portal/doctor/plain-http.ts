// The plain-http port serves only the certificate page, for devices that do not trust the CA yet.

import { type Finding, skipped, verdictOn } from '../../doctor/finding.ts'
import type { Response } from '../../doctor/request.ts'
import { pageFaults } from './certificate.ts'
import type { Deployment } from './deployment.ts'

const TARGETS = ['/', '/blocked?p=doctor&v=1&ts=1', '/api/captive/ack?p=doctor&v=1&ts=1', '/no/such/page?a=b']

export async function checkRedirects({ address, plainOrigin, requestPlain }: Deployment): Promise<Finding> {
  const tried = `GET ${plainOrigin} with ${TARGETS.join(', ')}`
  if (!address.secure) return skipped('http-redirect', tried, 'the base URL is plain http itself')
  const faults: string[] = []
  for (const target of TARGETS) {
    const response = await requestPlain(target)
    const { status, headers } = response
    const wanted = address.baseUrl + target
    if (status !== 308) faults.push(`${target}: ${status} instead of 308`)
    else if (headers.location !== wanted) faults.push(`${target}: to ${headers.location} instead of ${wanted}`)
    faults.push(...statefulFaults(response).map((fault) => `${target}: ${fault}`))
  }
  return verdictOn('http-redirect', tried, faults, {
    detail: `308 to the same target on ${address.baseUrl}, without cookie or HSTS`,
    advice:
      'configure the terminator to forward its plain-http port to the portal with X-Forwarded-Proto: http, without its own responses (deploy/terminator)',
  })
}

export async function checkPlainCertificatePage(deployment: Deployment): Promise<Finding> {
  const { ca, plainOrigin, requestPlain, missingCaReason, address } = deployment
  const tried = `GET ${plainOrigin}/ca`
  if (!address.secure) return skipped('http-ca', tried, 'the base URL is plain http itself')
  if (ca === undefined) return skipped('http-ca', tried, `${missingCaReason}`)
  const response = await requestPlain('/ca')
  return verdictOn('http-ca', tried, [...pageFaults(response, ca), ...statefulFaults(response)], {
    detail: 'the complete page over plain http, with the published fingerprint, without cookie or HSTS',
    advice:
      'configure the terminator to forward /ca on the plain-http port to the portal, and the response unchanged: no redirect to https, no header added, no page rewritten (deploy/terminator)',
  })
}

function statefulFaults({ headers }: Response): readonly string[] {
  return [
    ...(headers['set-cookie'] === undefined ? [] : ['it sets a cookie']),
    ...(headers['strict-transport-security'] === undefined ? [] : ['it sends Strict-Transport-Security']),
  ]
}
