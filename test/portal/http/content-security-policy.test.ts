// The Content-Security-Policy of every kind of response, checked by Google's CSP Evaluator: no finding of medium severity
// or higher, including possible ones. Which hashes of styles and scripts they have: headers.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CspEvaluator } from 'csp_evaluator'
import { type Finding, Severity } from 'csp_evaluator/dist/finding.js'
import { CspParser } from 'csp_evaluator/dist/parser.js'
import { certificateDownload } from '../../../src/certificate/downloads.ts'
import { sampleCertificate } from '../../../src/portal/preview/sample-certificates.ts'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'
import { OVER_HTTP, startPublishing } from '../certificate/published-ca.ts'
import { type Exchanged, exchange, type RequestHeaders } from '../exchange.ts'

const CA = certificateDownload(sampleCertificate, 'crt', '').bytes
const block = verdictTarget(claims(NOW))

const markup: Readonly<Record<string, readonly [status: number, target: string, headers?: RequestHeaders]>> = {
  'a verdict page': [200, block],
  'the certificate page': [200, '/ca'],
  'the certificate page over plain http': [200, '/ca', OVER_HTTP],
  'the notice in a frame': [403, block, { 'Sec-Fetch-Dest': 'iframe' }],
  'an outcome': [404, '/nowhere'],
}
const others: typeof markup = {
  'a problem': [403, block, { 'Sec-Fetch-Dest': 'empty' }],
  nothing: [403, block, { 'Sec-Fetch-Dest': 'image' }],
  'a redirect': [303, '/locale?set=de&page=privacy'],
  'the health document': [200, '/healthz'],
  'a download': [200, '/ca.crt'],
}

function findings({ headers }: Exchanged): Finding[] {
  const policy = headers.get('content-security-policy')
  assert.ok(policy !== undefined && !policy.includes('\n'), 'not one policy')
  return new CspEvaluator(new CspParser(policy).csp).evaluate()
}

/** Its advice towards "strict CSP" is for pages that load scripts from somewhere. */
const worse = (found: readonly Finding[]) =>
  found.filter(({ severity }) => severity !== Severity.STRICT_CSP && severity <= Severity.MEDIUM_MAYBE)

test('no page has a weak policy', async (t) => {
  const { portal } = await startPublishing(t, CA)
  for (const [name, [status, target, headers]] of Object.entries(markup)) {
    const response = await exchange(portal, target, headers)
    assert.equal(response.status, status, name)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/, name)
    assert.deepEqual(worse(findings(response)), [], name)
  }
})

test('responses other than pages need none: browsers do not render them as pages', async (t) => {
  const { portal } = await startPublishing(t, CA)
  for (const [name, [status, target, headers]] of Object.entries(others)) {
    const response = await exchange(portal, target, headers)
    assert.equal(response.status, status, name)
    assert.doesNotMatch(response.headers.get('content-type') ?? '', /html|xml(?!-)|svg/, name)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', name)
  }
})

test('the evaluator detects a weak policy', () => {
  for (const weak of ["script-src 'unsafe-inline'; object-src 'none'", 'script-src https:', "default-src 'self'"]) {
    assert.notDeepEqual(worse(new CspEvaluator(new CspParser(weak).csp).evaluate()), [], weak)
  }
})
