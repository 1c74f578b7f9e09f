// Requests that two parsers might read differently: a hidden request is executed neither by the portal alone nor behind
// the terminator, and both execute the same requests or reject them.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { policy } from '../engine/running-engine.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { startChain } from './chain.ts'
import { exchangeBytes } from './client.ts'

const HIDDEN = 'GET /privacy HTTP/1.1\r\nHost: localhost\r\n\r\n'
const BEHIND =
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
const get = (...lines: string[]) =>
  ['GET /locale?set=de&page=privacy HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n')
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const many = Array.from({ length: 2_100 }, (_, index) => `x${index}: 1`)

/** Each is followed by two more requests on its connection. */
const requests: Readonly<Record<string, string>> = {
  'an ordinary request': get(),
  'a body on GET': get(`Content-Length: ${HIDDEN.length}`) + HIDDEN,
  'an empty body on GET': get('Content-Length: 0'),
  'chunks on GET': get('Transfer-Encoding: chunked') + chunk(HIDDEN) + chunk(''),
  'no chunks on GET': get('Transfer-Encoding: chunked') + chunk(''),
  'a length and chunks': get('Content-Length: 5', 'Transfer-Encoding: chunked') + chunk('') + HIDDEN,
  'chunks and a length': get('Transfer-Encoding: chunked', `Content-Length: ${HIDDEN.length + 5}`) + chunk('') + HIDDEN,
  'chunks hidden by a space':
    get('Transfer-Encoding : chunked', `Content-Length: ${HIDDEN.length + 5}`) + chunk('') + HIDDEN,
  'chunks hidden by a tab':
    get('Transfer-Encoding:\x0bchunked', `Content-Length: ${HIDDEN.length + 5}`) + chunk('') + HIDDEN,
  'an unknown coding': get('Transfer-Encoding: xchunked') + chunk(HIDDEN) + chunk(''),
  'chunks, then identity': get('Transfer-Encoding: chunked, identity') + chunk(HIDDEN) + chunk(''),
  'chunks twice': get('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + chunk(HIDDEN) + chunk(''),
  'a chunk of a strange size': `${get('Transfer-Encoding: chunked')}0x0\r\n\r\n${HIDDEN}`,
  'a chunk with an extension': `${get('Transfer-Encoding: chunked')}0;${'x'.repeat(100)}\r\n\r\n`,
  'a trailer': `${get('Transfer-Encoding: chunked')}0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n`,
  'two lengths': get('Content-Length: 0', `Content-Length: ${HIDDEN.length}`) + HIDDEN,
  'two equal lengths': get(`Content-Length: ${HIDDEN.length}`, `Content-Length: ${HIDDEN.length}`) + HIDDEN,
  'a list of lengths': get(`Content-Length: 0, ${HIDDEN.length}`) + HIDDEN,
  'a length with a sign': get(`Content-Length: +${HIDDEN.length}`) + HIDDEN,
  'a negative length': get('Content-Length: -1') + HIDDEN,
  'a hexadecimal length': get('Content-Length: 0x0') + HIDDEN,
  'a length that overflows': get('Content-Length: 18446744073709551616') + HIDDEN,
  'a length hidden by an underscore': get(`Content_Length: ${HIDDEN.length}`),
  'bare line feeds': get().replaceAll('\r\n', '\n'),
  'a bare line feed that hides a length': get(`X: a\nContent-Length: ${HIDDEN.length}`) + HIDDEN,
  'bare carriage returns': get(`X: a\rContent-Length: ${HIDDEN.length}`),
  'NUL in a value': get('X: a\0b'),
  'NUL in a name': get('X\0: a'),
  'NUL in the target': get().replace('page', 'pa\0ge'),
  'a folded header': get('X: a', ' b'),
  'a folded length': get('X: a', ` Content-Length: ${HIDDEN.length}`),
  'a length that is folded': get('Content-Length:', ` ${HIDDEN.length}`) + HIDDEN,
  'a header without a colon': get('X'),
  'a body’s coding without a body': get('Content-Encoding: gzip'),
  'a header named __proto__': get('__proto__: 1', 'constructor: 1'),
  '2,100 headers': get(...many),
  'a header of 40 KB': get(`X: ${'x'.repeat(40_000)}`),
  '40 KB of headers': get(...Array.from({ length: 10 }, (_, index) => `X${index}: ${'x'.repeat(4_000)}`)),
  'two hosts': get('Host: evil.example'),
  'no host': get().replace('Host: localhost\r\n', ''),
  'another host in the target': get().replace('/locale', 'http://evil.example/locale'),
  'HTTP/1.0': get('Connection: keep-alive').replace('HTTP/1.1', 'HTTP/1.0'),
  'HTTP/0.9': 'GET /locale?set=de&page=privacy\r\n',
  'HTTP/1.1 in lower case': get().replace('HTTP', 'http'),
  'an HTTP/2.0 request line': get().replace('HTTP/1.1', 'HTTP/2.0'),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an expectation': get('Expect: 100-continue', `Content-Length: ${HIDDEN.length}`) + HIDDEN,
  'an upgrade': get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'),
  'a web socket': get('Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='),
  'a tunnel': get().replace('GET /locale?set=de&page=privacy', 'CONNECT localhost:443'),
  'a body on POST': get(`Content-Length: ${HIDDEN.length}`).replace('GET', 'POST') + HIDDEN,
  'a request after a space': ` ${get()}`,
  'a request after empty lines': `\r\n\r\n${get()}`,
}

/** Requests that a browser could send: each is served, and so are the two that follow. */
const SERVED = [
  'an ordinary request',
  'an empty body on GET',
  'a header named __proto__',
  'a request after empty lines',
  'a length hidden by an underscore',
]

/** Node reads nothing after these; nginx does not forward the upgrade, and continues. */
const LAST_ALONE = ['an upgrade', 'a web socket']

describe('raw requests', { skip: skipWithoutNginx }, async () => {
  const { portal, terminator, ca } = await startChain({ after }, policy(''))

  async function exchange(port: number, bytes: string, tls?: string) {
    const before = portal.logged().length
    const answers = await exchangeBytes(port, bytes + BEHIND, tls)
    const lines = portal.logged().slice(before)
    const executed = lines.flatMap(({ msg, route }) => (msg === 'request' ? [String(route)] : []))
    const statuses = Array.from(answers.matchAll(/HTTP\/1\.[01] (\d{3}) /g), ([, status]) => Number(status))
    return { executed, statuses: statuses.filter((status) => status !== 100) }
  }

  test('every request that must be served is among them', () => {
    assert.deepEqual(
      SERVED.filter((name) => requests[name] === undefined),
      [],
    )
  })

  for (const [name, bytes] of Object.entries(requests)) {
    test(name, async () => {
      const alone = await exchange(portal.port, bytes)
      const behind = await exchange(terminator.httpsPort, bytes, ca)
      for (const { executed, statuses } of [alone, behind]) {
        assert.ok(!executed.includes('/privacy'), 'the hidden request was executed')
        assert.ok(executed.length <= 3)
        // At most one more response rejects the rest.
        assert.ok(statuses.length - executed.length <= 1, `${executed} but ${statuses}`)
      }
      if (SERVED.includes(name)) {
        for (const { executed, statuses } of [alone, behind]) {
          assert.deepEqual(executed, ['/locale', '/healthz', '/healthz'])
          assert.deepEqual(statuses, [303, 200, 200])
        }
      }
      const isRefused = [alone, behind].some(({ statuses: [first = 400] }) => first >= 400)
      if (!isRefused && !LAST_ALONE.includes(name)) assert.deepEqual(behind, alone)
    })
  }
})
