// An engine's response: status line, headers, an empty line, a body. Only a redirect to an absolute http or https URL
// is relayed, with the engine's end-to-end headers, without hop-by-hop headers, and valid for Node.
import assert from 'node:assert/strict'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { relayedRedirect } from '../../../src/portal/acknowledgement/redirect.ts'
import { interpretResponse } from '../../../src/portal/engine-client/response.ts'
import { headerOf } from '../header-line.ts'
import type { Target } from '../target.ts'

const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

export const engineResponse: Target = {
  name: 'engine-response',
  seeds: [
    '302 Found\nLocation: https://news.example/?q=é\nSet-Cookie: a=b\nset-cookie: c\nContent-Length: 2\n\nok',
    '302 Found\nConnection: X-A, Location, close\nX-A: 1\nKeep-Alive: timeout=5\nLOCATION: http://x\n\n',
    '302 \nLocation: javascript:alert(1)\n\n',
    '302 Found\nLocation: https://a/\nLocation: https://b/\n\n',
    '403 Forbidden\nContent-Type: application/problem+json; charset=utf-8\n\n{"type":"/problems/override-code-rejected","attempts_remaining":2}',
    '429 Too Many Requests\nRetry-After: 900\nContent-Type: application/problem+json\n\n{"type":"/problems/locked-out"}',
    '410 Gone\nContent-Type: application/problem+json\n\n{"type":"about:blank"}',
    '503 Busy\n\n',
  ],
  tokens: [
    ...[
      'Location: ',
      '\nLocation: https://',
      'Connection: ',
      'Transfer-Encoding: chunked',
      'Upgrade: h2c',
      'Retry-After: 1',
    ],
    ...['Content-Length: 0', 'Trailer: X', 'TE: x', 'Proxy-Authenticate: x', '"attempts_remaining":-1', '\u0085'],
    ...'null [] data:, https:\\\\ // @ [::1 302 301 200 %0d%0a ,, __proto__'.split(' '),
  ],
  run(input) {
    const text = input.toString('latin1')
    const headEnd = text.indexOf('\n\n')
    const [first = '', ...lines] = (headEnd === -1 ? text : text.slice(0, headEnd)).split('\n')
    const [, status, reasonPhrase] = /^([1-5][0-9][0-9]) (.*)$/s.exec(first) ?? []
    if (status === undefined || reasonPhrase === undefined) return
    const rawHeaders = lines.flatMap(headerOf)
    const body = Buffer.from(headEnd === -1 ? '' : text.slice(headEnd + 2), 'latin1')
    const interpreted = interpretResponse({ status: Number(status), reasonPhrase, rawHeaders, body })
    if (interpreted.kind === 'codeRejected') assert.ok((interpreted.attemptsRemaining ?? 0) >= 0)
    if (interpreted.kind === 'lockedOut')
      assert.ok(interpreted.retryAfter >= 0 && interpreted.retryAfter <= 30 * 24 * 3600)
    if (interpreted.kind !== 'redirect') return
    assert.equal(status, '302')
    const { headers } = relayedRedirect(interpreted)
    const pairs = Array.from(
      { length: headers.length / 2 },
      (_, at) => headers.slice(at * 2, at * 2 + 2) as [string, string],
    )
    for (const [name, value] of pairs) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      assert.doesNotMatch(name, HOP_BY_HOP)
    }
    const locations = pairs.filter(([name]) => name.toLowerCase() === 'location').map(([, value]) => value)
    assert.equal(locations.length, 1)
    const { protocol } = new URL(Buffer.from(locations[0] ?? '', 'latin1').toString())
    assert.match(protocol, /^https?:$/)
    const added = headers.slice(interpreted.headers.length)
    assert.ok(added.length === 0 || added[0] === 'Content-Length')
    // The remaining headers keep the engine's order and bytes.
    let from = 0
    for (const [name, value] of pairs.slice(0, interpreted.headers.length / 2)) {
      while (from < rawHeaders.length && !(rawHeaders[from] === name && rawHeaders[from + 1] === value)) from += 2
      assert.ok(from < rawHeaders.length)
      from += 2
    }
  },
}
