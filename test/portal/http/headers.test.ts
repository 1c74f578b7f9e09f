// The exact headers of every kind of response, with every status.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { CspEvaluator } from 'csp_evaluator'
import { Severity } from 'csp_evaluator/dist/finding.js'
import { CspParser } from 'csp_evaluator/dist/parser.js'
import { certificateDownload } from '../../../src/certificate/downloads.ts'
import { buildAssets } from '../../../src/portal/page/assets.ts'
import { sampleCertificate } from '../../../src/portal/preview/sample-certificates.ts'
import { PALETTES } from '../../../src/portal/settings/brand.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../support/payloads.ts'
import { brokenDocument, NOW, type RunningPortal, startPortal } from '../../support/portal.ts'
import { OVER_HTTP, startPublishing } from '../certificate/published-ca.ts'
import { type Exchanged, exchange, type RequestHeaders } from '../exchange.ts'
import { attributesOf, elements, parsePage } from '../markup.ts'

/** A portal whose policy page fails to render. */
const portal = await startPortal({ after }, { documents: brokenDocument('it', 'zq-a-fault-of-the-portal') })

type Asked = readonly [status: number, target: string, headers?: RequestHeaders, method?: string]

const shown = verdictTarget(claims(NOW))
const aup = verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN }))
const pages: readonly Asked[] = [
  [200, shown],
  [200, verdictTarget(claims(NOW, { kind: 'warn' }))],
  [200, verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN }))],
  [200, verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'pin' } }))],
  [200, verdictTarget(claims(NOW, { kind: 'warn', ack_token: ACK_TOKEN, override: { type: 'passphrase' } }))],
  [200, verdictTarget(claims(NOW, { kind: 'aup' }))],
  [200, aup],
  [200, '/privacy'],
  [400, '/blocked'],
  [400, `/blocked?p=A&v=2&ts=${NOW}`],
  [400, '/locale'],
  [403, `/blocked?p=A&v=1&ts=${NOW}`],
  [403, verdictTarget(claims(NOW - 301))],
  [404, '/nowhere'],
  [404, '/api/captive/ack'],
  [405, shown, {}, 'POST'],
  [414, `/blocked?p=${'A'.repeat(7500)}&v=1&ts=${NOW}`],
  [500, aup, { 'Accept-Language': 'it' }],
]

const common = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
  'x-portal-version': portal.config.release.label,
}
const page = {
  ...common,
  'content-type': 'text/html; charset=utf-8',
  'content-language': 'en',
  vary: 'Accept-Language, Cookie, Sec-Fetch-Dest',
}
const { 'x-frame-options': _, ...framed } = page

/** All headers except those of the transfer, and two with separate tests. */
function remarkable({ headers }: Exchanged): Record<string, string> {
  const others = new Set(['date', 'connection', 'content-length', 'permissions-policy', 'content-security-policy'])
  return Object.fromEntries([...headers].filter(([name]) => !others.has(name)))
}

async function send([status, target, headers, method]: Asked, from: RunningPortal = portal): Promise<Exchanged> {
  const response = await exchange(from, target, headers, method)
  assert.equal(response.status, status, target)
  return response
}

describe('exactly the headers of its kind', () => {
  const kinds: readonly [name: string, asked: readonly Asked[], expected: Record<string, string>][] = [
    ['a page', pages.filter(([status, target]) => status < 405 && target !== aup), page],
    ['the page of a policy that can be accepted', [[200, aup]], { ...page, 'set-cookie': '…' }],
    ['a method that is not allowed', [[405, shown, {}, 'POST']], { ...page, allow: 'GET, HEAD' }],
    ['too long an address', pages.filter(([status]) => status === 414), page],
    ['a fault of the portal', [[500, aup, { 'Accept-Language': 'it' }]], { ...page, 'content-language': 'it' }],
    ['the notice in a frame', [[403, shown, { 'Sec-Fetch-Dest': 'iframe' }]], framed],
    [
      'a problem',
      [[403, shown, { 'Sec-Fetch-Dest': 'empty' }]],
      { ...page, 'content-type': 'application/problem+json' },
    ],
    ['nothing', [[403, shown, { 'Sec-Fetch-Dest': 'image' }]], common],
    ['a redirect', [[303, '/locale?set=de&page=privacy']], { ...common, location: '/privacy', 'set-cookie': '…' }],
    [
      'the health document',
      [[200, '/healthz']],
      { ...common, 'content-type': 'application/json', 'cross-origin-resource-policy': 'cross-origin' },
    ],
  ]
  for (const [name, asked, expected] of kinds) {
    test(name, async () => {
      for (const one of asked) {
        const headers = remarkable(await send(one))
        if (headers['set-cookie'] !== undefined) headers['set-cookie'] = '…'
        assert.deepEqual(headers, expected)
      }
    })
  }

  test('without Cross-Origin-Opener-Policy if the public address is plain http', async (t) => {
    const plain = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: 'http://localhost' } })
    for (const asked of [[200, shown] as const, [200, '/healthz'] as const]) {
      assert.equal((await send(asked, plain)).headers.get('cross-origin-opener-policy'), undefined)
    }
  })

  test('every feature is off except writing to the clipboard', async () => {
    for (const asked of [...pages, [200, '/healthz'] as const, [303, '/locale?set=de&page=privacy'] as const]) {
      const policy = (await send(asked)).headers.get('permissions-policy')?.split(', ') ?? []
      const allowed = policy.filter((feature) => !/^[a-z-]+=\(\)$/.test(feature))
      assert.deepEqual(allowed, ['clipboard-write=(self)'])
      for (const feature of ['camera', 'payment', 'clipboard-read'])
        assert.ok(policy.includes(`${feature}=()`), feature)
    }
  })
})

describe('the Content-Security-Policy', () => {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const directivesOf = ({ headers }: Exchanged): Record<string, string> => {
    const directives = (headers.get('content-security-policy') ?? '').split('; ').map((text) => text.split(/ (.*)/))
    return Object.fromEntries(directives.map(([name, sources]) => [name, sources]))
  }
  const inlined = ({ body }: Exchanged, name: 'style' | 'script') =>
    elements(parsePage(body), name).map(({ children }) => hash(children.join('')))

  for (const palette of PALETTES) {
    test(`${palette}: allows exactly the style and the scripts that are served`, async (t) => {
      const coloured = await startPortal(t, { env: { GATEWAY_CAPTIVE_BRAND_PALETTE: palette } })
      // A lockout's page needs an engine: acknowledgement/outcomes.test.ts.
      const scripts = new Set([hash(String(buildAssets(palette).scripts.lockedOut))])
      const allowed = new Set<string>()
      const styles = new Set<string>()
      const allowedStyles = new Set<string>()
      for (const asked of pages.filter(([status]) => status !== 500)) {
        const response = await send(asked, coloured)
        const { 'style-src': style, 'script-src': script, ...others } = directivesOf(response)
        assert.deepEqual(others, {
          'default-src': "'none'",
          'img-src': "'self' data:",
          'connect-src': "'self'",
          'base-uri': "'none'",
          'form-action': "'none'",
          'frame-ancestors': "'none'",
        })
        for (const source of inlined(response, 'style')) styles.add(source)
        for (const source of style?.split(' ') ?? []) allowedStyles.add(source)
        assert.ok([...styles].every((source) => style?.split(' ').includes(source)))
        for (const source of inlined(response, 'script')) scripts.add(source)
        for (const source of script?.split(' ') ?? []) allowed.add(source)
        assert.ok([...scripts].every((source) => script?.split(' ').includes(source)))
      }
      assert.deepEqual([...allowed].sort(), [...scripts].sort())
      assert.deepEqual([...allowedStyles].sort(), [...styles].sort())
    })
  }

  test('of the frame notice: its style, and any frame', async () => {
    const response = await send([403, shown, { 'Sec-Fetch-Dest': 'frame' }])
    assert.deepEqual(directivesOf(response), {
      'default-src': "'none'",
      'style-src': inlined(response, 'style')[0],
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': '*',
    })
  })

  test('has no weakness that Google’s CSP Evaluator knows', async (t) => {
    // Its advice towards "strict CSP" is for pages that load scripts from somewhere.
    const weaknesses = (policy: string) =>
      new CspEvaluator(new CspParser(policy).csp)
        .evaluate()
        .filter(({ severity }) => severity !== Severity.STRICT_CSP && severity <= Severity.MEDIUM_MAYBE)
    const sample = certificateDownload(sampleCertificate, 'crt', '').bytes
    const publishing = await startPublishing(t, sample)
    for (const asked of [
      [200, shown],
      [200, '/ca'],
      [200, '/ca', OVER_HTTP],
      [403, shown, { 'Sec-Fetch-Dest': 'iframe' }],
      [404, '/nowhere'],
    ] as const) {
      const policy = (await send(asked, publishing.portal)).headers.get('content-security-policy') ?? assert.fail()
      assert.deepEqual(weaknesses(policy), [], policy)
    }
    assert.notDeepEqual(weaknesses("script-src 'unsafe-inline'; object-src 'none'"), [])
  })
})

test('pages load nothing from another address, and have neither style attributes nor event handlers', async () => {
  for (const asked of pages) {
    const { body } = await send(asked)
    const root = parsePage(body)
    for (const { element, name, value } of attributesOf(root)) {
      assert.doesNotMatch(name, /^(on.*|style)$/)
      assert.ok(!['src', 'srcset', 'action', 'formaction', 'poster', 'data', 'ping', 'http-equiv'].includes(name), name)
      // The link to the destination after unlocking loads nothing.
      const linked = /^(\/[a-z]|#|https:\/\/news\.example\/)/
      if (name === 'href') assert.match(value, element === 'link' ? /^data:/ : linked)
    }
    for (const name of ['style', 'script'] as const) {
      for (const { children } of elements(root, name))
        assert.doesNotMatch(children.join(''), /https?:|\/\/\w|@import|url\(/)
    }
  }
})
