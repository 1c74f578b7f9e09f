// Requests through the real chain: nginx, portal and engine over TLS, with the certificates that the engine publishes; also those
// that two parsers might read differently.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { policy } from '../engine/running-engine.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { startChain } from './chain.ts'
import { exchangeBytes, send, sendHttp2 } from './client.ts'

const RULES = `
  [[rules]]
  name = "news"
  match = ["news.example"]
  action = "warn"
  [[rules]]
  name = "house-rules"
  match = ["social.example"]
  action = "aup"
  [[rules]]
  name = "video"
  match = ["video.example"]
  action = "warn"
  override = { type = "passphrase", code = "Grüße aus Köln" }`

const HIDDEN = 'GET /privacy HTTP/1.1\r\nHost: localhost\r\n\r\n'
const BEHIND =
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
const get = (...lines: string[]) =>
  ['GET /locale?set=de&page=privacy HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n')
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const many = Array.from({ length: 2_100 }, (_, index) => `x${index}: 1`)

/** Each is followed by two more requests on its connection. */
const requests = {
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
const SERVED: readonly (keyof typeof requests)[] = [
  'an ordinary request',
  'an empty body on GET',
  'a header named __proto__',
  'a request after empty lines',
  'a length hidden by an underscore',
]

/** Node reads nothing after these; nginx does not forward the upgrade, and continues. */
const LAST_ALONE = ['an upgrade', 'a web socket']

describe('the whole chain', { skip: skipWithoutNginx }, async () => {
  const chain = await startChain({ after }, policy(RULES))

  test('a verdict page, over HTTP/1.1 and HTTP/2, is the portal’s to the byte', async () => {
    const target = `/warned?${await chain.engine.verdict('http://news.example/today')}`
    const direct = await send(chain.portal.address, target)
    const { status, headers, body } = await send(chain.baseUrl, target, { ca: chain.ca })
    assert.deepEqual({ status, body }, { status: 200, body: direct.body })
    const own = ({ date, connection, 'keep-alive': _, 'transfer-encoding': __, ...rest }: typeof headers) => rest
    assert.deepEqual(own(headers), own(direct.headers), 'no additional header, such as Server')
    const overHttp2 = await sendHttp2(chain.baseUrl, chain.ca, { ':path': target })
    assert.deepEqual({ status: overHttp2.status, body: overHttp2.body }, { status: 200, body: direct.body })
  })

  test('an acknowledgement gets the engine’s redirect, and the engine receives the visitor’s address', async () => {
    const spoofed = {
      'X-Forwarded-For': '203.0.113.66',
      X_Forwarded_For: '203.0.113.66',
      'X-Real-IP': '203.0.113.66',
      Forwarded: 'for=203.0.113.66',
      Connection: 'X-Forwarded-For, X-Forwarded-Proto',
    }
    for (const url of ['http://news.example/today?q=1', 'http://social.example/feed']) {
      const query = await chain.engine.verdict(url)
      const { status, headers } = await send(chain.baseUrl, `/api/captive/ack?${query}`, {
        ca: chain.ca,
        headers: spoofed,
      })
      assert.deepEqual({ status, location: headers.location }, { status: 302, location: url })
      assert.equal(chain.engine.logged().at(-1)?.forwardedFor, '127.0.0.1')
    }
  })

  test('a code reaches the engine, and appears in no log', async () => {
    const query = await chain.engine.verdict('http://video.example/')
    const headers = { 'X-Override-Code': encodeURIComponent('Grüße aus Köln') }
    const { status } = await send(chain.baseUrl, `/api/captive/ack?${query}`, { ca: chain.ca, headers })
    assert.equal(status, 302)
    assert.doesNotMatch(chain.terminator.logText(), /K%C3%B6ln|Köln/)
  })

  test('plain http redirects to the base URL with the whole query, no cookie, whatever the request claims', async () => {
    const target = `/warned?${await chain.engine.verdict('http://news.example/other', '198.51.100.8')}`
    for (const headers of [{}, { 'X-Forwarded-Proto': 'https' }, { 'X-Forwarded-Proto': ['https', 'https'] }]) {
      const { status, headers: answered } = await send(chain.plainUrl, target, { headers })
      assert.deepEqual({ status, location: answered.location }, { status: 308, location: chain.baseUrl + target })
      assert.equal(answered['set-cookie'], undefined)
      assert.equal(answered['strict-transport-security'], undefined)
    }
  })

  describe('limits', () => {
    const target = (length: number) => `/blocked?p=${'x'.repeat(length - '/blocked?p='.length)}`
    const german = { 'accept-language': 'de' }

    test('a target of 7,500 bytes reaches the portal, which rejects longer ones in the visitor’s language', async () => {
      for (const [length, status, words] of [
        [7_500, 400, 'lang="de"'],
        [7_501, 414, 'lang="de"'],
        [20_000, 414, 'lang="de"'],
        [100_000, 414, ''],
      ] as const) {
        const answered = await send(chain.baseUrl, target(length), { ca: chain.ca, headers: german })
        assert.equal(answered.status, status, `${length}`)
        assert.ok(words === '' ? answered.body === '' : answered.body.includes(words), `${length}`)
      }
    })
    test('the same over HTTP/2', async () => {
      const status = async (length: number) =>
        (await sendHttp2(chain.baseUrl, chain.ca, { ':path': target(length) })).status
      assert.deepEqual([await status(7_500), await status(7_501)], [400, 414])
      await assert.rejects(status(70_000), /ENHANCE_YOUR_CALM|INTERNAL_ERROR|PROTOCOL_ERROR|closed/i)
    })
    test('nine cookies of 4 KB from a sibling domain: the page, in the language of the portal’s cookie', async () => {
      const { headers } = await send(chain.baseUrl, '/locale?set=de&page=privacy', { ca: chain.ca })
      const [own = ''] = (headers['set-cookie']?.[0] ?? '').split(';')
      const cookies = Array.from(
        { length: 9 },
        (_, index) => `sibling${index}=${'x'.repeat(4_096 - 'sibling0='.length)}`,
      )
      // Oldest first, as browsers send them.
      const all = [...cookies.slice(0, 8), own, ...cookies.slice(8)]
      const target = `/warned?${await chain.engine.verdict(`http://news.example/${'x'.repeat(2_500)}`, '198.51.100.9')}`
      const shown = [
        await send(chain.baseUrl, target, { ca: chain.ca, headers: { cookie: all.join('; ') } }),
        await sendHttp2(chain.baseUrl, chain.ca, { ':path': target, cookie: all.join('; ') }),
        // Browsers send a separate field for each cookie.
        await sendHttp2(chain.baseUrl, chain.ca, { ':path': target, cookie: all }),
      ]
      for (const { status, body } of shown) {
        assert.equal(status, 200)
        assert.match(body, /<html lang="de"/)
      }
    })
    test('a head of 60 KB is rejected with an empty response', async () => {
      const headers = { 'x-large': 'x'.repeat(60_000) }
      const { status, body } = await send(chain.baseUrl, '/privacy', { ca: chain.ca, headers })
      assert.deepEqual([status, body], [431, ''])
    })
    test('a body is rejected, over HTTP/1.1 and HTTP/2', async () => {
      const options = { ca: chain.ca, method: 'POST', headers: { 'content-length': 2 } }
      assert.equal((await send(chain.baseUrl, '/privacy', options)).status, 400)
      const headers = { ':method': 'POST', ':path': '/privacy', 'content-length': 2 }
      assert.equal((await sendHttp2(chain.baseUrl, chain.ca, headers, 'ab')).status, 400)
      const { 'content-length': _, ...unannounced } = headers
      assert.equal((await sendHttp2(chain.baseUrl, chain.ca, unannounced, 'ab')).status, 400)
    })
  })

  test('neither the access log nor the error log contains a query or an address', async () => {
    const query = await chain.engine.verdict('http://news.example/log', '198.51.100.8')
    for (const target of [`/warned?${query}`, `/warned%3F${query}`, `/warned;${query}`, `/${query}`, `//?${query}`]) {
      await send(chain.baseUrl, target, { ca: chain.ca, headers: { referer: `${chain.baseUrl}/warned?${query}` } })
    }
    await until(() => chain.terminator.requests().at(-1)?.path === '//')
    const text = chain.terminator.logText()
    for (const piece of query.slice(2).match(/.{24}/g)?.slice(4) ?? []) assert.ok(!text.includes(piece), piece)
    assert.doesNotMatch(text, /127\.0\.0\.1/)
    assert.deepEqual(
      chain.terminator
        .requests()
        .slice(-5)
        .map(({ path }) => path),
      ['/warned', '/warned', '/warned', '/p', '//'],
    )
    for (const line of chain.terminator.requests()) assert.equal(line.tls === 'TLSv1.3', line.scheme === 'https')
  })

  // Requests that two parsers might read differently: a hidden request is executed neither by the portal alone nor behind
  // the terminator, and both execute the same requests or reject them.
  describe('raw requests', () => {
    async function exchange(port: number, bytes: string, tls?: string) {
      const before = chain.portal.logged().length
      const answers = await exchangeBytes(port, bytes + BEHIND, tls)
      const lines = chain.portal.logged().slice(before)
      const executed = lines.flatMap(({ msg, route }) => (msg === 'request' ? [String(route)] : []))
      const statuses = Array.from(answers.matchAll(/HTTP\/1\.[01] (\d{3}) /g), ([, status]) => Number(status))
      return { executed, statuses: statuses.filter((status) => status !== 100) }
    }
    const served: readonly string[] = SERVED
    for (const [name, bytes] of Object.entries(requests)) {
      test(name, async () => {
        const alone = await exchange(chain.portal.port, bytes)
        const behind = await exchange(chain.terminator.httpsPort, bytes, chain.ca)
        for (const { executed, statuses } of [alone, behind]) {
          assert.ok(!executed.includes('/privacy'), 'the hidden request was executed')
          assert.ok(executed.length <= 3)
          // At most one more response rejects the rest.
          assert.ok(statuses.length - executed.length <= 1, `${executed} but ${statuses}`)
        }
        if (served.includes(name)) {
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
})
