// The plain-http port: the certificate page and nothing else, because a device that trusts nothing yet starts there.

import { pageFaults } from './certificate.ts'
import type { Deployment } from './deployment.ts'
import { type Finding, skipped, verdictOn } from './finding.ts'
import type { Received } from './request.ts'

const TARGETS = ['/', '/blocked?p=doctor&v=1&ts=1', '/api/captive/ack?p=doctor&v=1&ts=1', '/no/such/page?a=b']

export async function checkRedirects({ address, plainOrigin, askPlain }: Deployment): Promise<Finding> {
  const tried = `GET ${plainOrigin} with ${TARGETS.join(', ')}`
  if (!address.secure) return skipped('http-redirect', tried, 'the base URL is plain http itself')
  const faults: string[] = []
  for (const target of TARGETS) {
    const heard = await askPlain(target)
    const { status, headers } = heard
    const wanted = address.baseUrl + target
    if (status !== 308) faults.push(`${target}: ${status} instead of 308`)
    else if (headers.location !== wanted) faults.push(`${target}: to ${headers.location} instead of ${wanted}`)
    faults.push(...statefulFaults(heard).map((fault) => `${target}: ${fault}`))
  }
  return verdictOn('http-redirect', tried, faults, {
    seen: `308 to the same target on ${address.baseUrl}, without cookie or HSTS`,
    advice:
      'let the terminator hand its plain-http port to the portal with X-Forwarded-Proto: http, and answer nothing by itself (deploy/terminator)',
  })
}

export async function checkPlainCertificatePage(deployment: Deployment): Promise<Finding> {
  const { ca, plainOrigin, askPlain, whyNoCa, address } = deployment
  const tried = `GET ${plainOrigin}/ca`
  if (!address.secure) return skipped('http-ca', tried, 'the base URL is plain http itself')
  if (ca === undefined) return skipped('http-ca', tried, `${whyNoCa}`)
  const heard = await askPlain('/ca')
  return verdictOn('http-ca', tried, [...pageFaults(heard, ca), ...statefulFaults(heard)], {
    seen: 'the whole page over plain http, with the published fingerprint, without cookie or HSTS',
    advice:
      'let the portal answer /ca on the plain-http port as it is: no redirect to https, no header added, no page rewritten (deploy/terminator)',
  })
}

function statefulFaults({ headers }: Received): readonly string[] {
  return [
    ...(headers['set-cookie'] === undefined ? [] : ['it sets a cookie']),
    ...(headers['strict-transport-security'] === undefined ? [] : ['it sends Strict-Transport-Security']),
  ]
}
