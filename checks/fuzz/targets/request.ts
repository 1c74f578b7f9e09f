// A whole request: first line, then headers, as Node's parser would accept them. Every request gets a defined response
// with the security headers, which reflects nothing of the request unescaped.
import assert from 'node:assert/strict'
import { parsePage } from '../../../test/portal/markup.ts'
import { ACK_TOKEN, claims, verdictTarget } from '../../../test/support/payloads.ts'
import { headerOf } from '../header-line.ts'
import { startInMemoryPortal } from '../in-memory-portal.ts'
import type { Target } from '../target.ts'

const NOW = 1_800_000_000
const send = await startInMemoryPortal(NOW)
const shown = verdictTarget(claims(NOW))
const aup = verdictTarget(claims(NOW, { kind: 'aup', ack_token: ACK_TOKEN }))
const STATUSES = new Set([200, 303, 304, 308, 400, 403, 404, 405, 414, 415, 503])
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'TRACE', 'DELETE', 'PATCH', 'CONNECT'])
/** Text that can only come from the request; escaped, it would not match. */
const REFLECTED = /zq[<"'&]+/

export const request: Target = {
  name: 'request',
  seeds: [
    `GET ${shown}\nHost: localhost\nAccept-Language: de, en;q=0.5`,
    `GET ${aup}\nHost: localhost\nCookie: a=b; __Host-gateway-captive=zq<">.sig\nSec-Fetch-Dest: document`,
    `GET ${shown}\nHost: localhost\nSec-Fetch-Dest: iframe`,
    `GET ${shown}\nHost: localhost\nSec-Fetch-Dest: empty`,
    `HEAD ${aup}\nHost: localhost\nSec-Purpose: prefetch;prerender`,
    'GET /locale?set=de&page=privacy\nHost: localhost',
    `GET /locale?set=fr&page=blocked&${shown.split('?')[1]}\nHost: localhost\nX-Forwarded-Proto: https`,
    'GET /privacy?zq<">\nHost: localhost\nX-Forwarded-Proto: http',
    'GET /zq<script>\nHost: zq"<x>\nX-Forwarded-For: 10.0.0.1, zq<"\nForwarded: for=1',
    'GET /ca.crt?which=next\nHost: localhost\nIf-None-Match: *',
    'GET /healthz\nHost: localhost',
    `GET /api/captive/ack?${aup.split('?')[1]}\nHost: localhost\nX-Override-Code: 12%20`,
    'POST /blocked\nHost: localhost\nContent-Length: 5\nTransfer-Encoding: chunked\nContent-Encoding: gzip',
    'GET http://evil.example/blocked\nHost: a\nHost: b',
  ],
  tokens: [
    ...[
      '\nHost: ',
      '\nCookie: ',
      '\nAccept-Language: ',
      '\nSec-Fetch-Dest: ',
      '\nSec-Fetch-Site: ',
      '\nPurpose: prefetch',
    ],
    ...['\nX-Forwarded-Proto: http', '\n__proto__: x', '\nconstructor: x', '\nContent-Length: 1', '\nUser-Agent: '],
    ...'/blocked /warned /aup /locale /ca /ca.cer /ca.mobileconfig /%62 // /.. ? set=it page=ca p= v=1 ts='.split(' '),
    ...`zq<"> zq' iframe style HEAD OPTIONS`.split(' '),
  ],
  run(input) {
    const [first = '', ...lines] = input.toString('latin1').split('\n')
    const [method = '', target = ''] = first.split(' ')
    if (!METHODS.has(method) || !/^[\x21-\x7e\x80-\xff]+$/.test(target)) return
    const headers = lines.flatMap(headerOf)
    const { status, headers: sent, body, logged } = send(method, target, headers)
    assert.ok(STATUSES.has(status), `status ${status}`)
    // A payload with another key is reported as an error, with the key's id, at most once a minute.
    assert.ok(logged.every(({ level, keyId }) => Number(level) < 50 || keyId !== undefined))
    assert.equal(logged.filter(({ msg }) => msg === 'request').length, 1)
    const text = body.toString()
    for (const part of [text, ...sent.filter((_, index) => sent[index - 1] !== 'location')])
      assert.doesNotMatch(part, REFLECTED)
    const names = sent.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    assert.ok(names.includes('x-content-type-options') && names.includes('referrer-policy'))
    assert.ok(!names.some((name) => name.startsWith('access-control') || name === 'strict-transport-security'))
    const location = sent[sent.indexOf('location') + 1]
    if (names.includes('location')) assert.match(location ?? '', /^(https:\/\/localhost\/|\/[a-z])/)
    if (text.startsWith('<!doctype')) parsePage(text)
  },
}
