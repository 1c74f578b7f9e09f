// The engine's 302 reaches the browser unchanged: compares whole responses as bytes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { respondWith } from '../../support/hostile-engine.ts'
import { exchangeBytes } from '../exchange.ts'
import { acknowledgement, getBytes, startRelay } from './relay.ts'

const { portal, engine } = await startRelay({ after }, () => {})

const EVERY_BYTE = String.fromCharCode(...Array(256).keys())
const LOCATION = 'Location: https://news.example/'

/** Their names only look like those of hop-by-hop headers. */
const NOT_HOP_BY_HOP = ['X-C: stays', 'Proxy-Status: a', 'TEE: b', 'Trailers: c', 'X-Connection: X-C', '__proto__: e']

/** What a browser receives when the engine responds with these bytes. */
async function relay(engineBytes: string, request: (target: string) => string = getBytes): Promise<string> {
  engine.behave(respondWith(engineBytes))
  return await exchangeBytes(portal, request(acknowledgement({ kind: 'warn' }).target))
}

function message(lines: readonly string[], body = ''): string {
  return [...lines, '', body].join('\r\n')
}

test('status line, names, values, order and body are the same bytes', async () => {
  const bytes = message(
    [
      'HTTP/1.1 302 Weiter geht\xe2\x80\x99s',
      'Server: engine/1',
      'X-Unknown: a, b;c="d"',
      'lOCATION: https://n\xc3\xbcrnberg.example/\xe2\x82\xac/\xff?q=%C3%BC&r="\'<>\\^`{|}#\xf0\x9f\x97\x9d',
      'set-cookie: a=1; Path=/',
      'Content-Length: 256',
      'Set-Cookie: b=2; Path=/; HttpOnly',
      'X-Empty: ',
      'X-Latin: caf\xe9 \t tab',
      'SET-COOKIE: c=3',
      'Cache-Control: private',
      'x-unknown: once more',
      'X-Accel-Redirect: /elsewhere',
      'Content-Type: text/html',
      'Content-Encoding: identity',
      'Date: Thu, 01 Jan 1970 00:00:00 GMT',
    ],
    EVERY_BYTE,
  )
  assert.equal(await relay(bytes), bytes)
})

test('hop-by-hop headers are removed, and those that Connection names, except Location', async () => {
  const bytes = message([
    'HTTP/1.1 302 Found',
    'X-A: gone',
    'Connection: X-A, Location, LOCATION,,keep-alive ,\tx-b',
    'X-First: 1',
    'X-First: 1',
    'Keep-Alive: timeout=5',
    'Upgrade: h2c',
    'Proxy-Authenticate: Basic',
    'Proxy-Authentication-Info: nextnonce="a"',
    'Proxy-Authorization: Basic YTpi',
    'Proxy-Connection: keep-alive',
    'TE: trailers',
    'X-B: gone',
    LOCATION,
    'Trailer: X-C',
    'x-a: gone',
    'connection: X-D',
    ...NOT_HOP_BY_HOP,
    'X-D: gone',
    'CONNECTION: close',
    'Content-Length: 2',
    'X-Last: 2',
  ]).concat('ok')
  const kept = message(
    [
      ...['HTTP/1.1 302 Found', 'X-First: 1', 'X-First: 1', LOCATION, ...NOT_HOP_BY_HOP],
      ...['Content-Length: 2', 'X-Last: 2'],
    ],
    'ok',
  )
  assert.equal(await relay(bytes), kept)
})

test('a chunked body keeps its bytes and gets a length; trailers are removed', async () => {
  const bytes = message(
    ['HTTP/1.1 302 Found', 'Transfer-Encoding: chunked', LOCATION, 'Trailer: X-C', 'X-Last: 2'],
    '3;ext=1\r\na\0\xff\r\n2\r\nde\r\n0\r\nX-C: trailer\r\n\r\n',
  )
  assert.equal(
    await relay(bytes),
    message(['HTTP/1.1 302 Found', LOCATION, 'X-Last: 2', 'Content-Length: 5'], 'a\0\xffde'),
  )
})

test('a body that ends with the connection gets a length, from an HTTP/1.0 engine too', async () => {
  const expected = message(['HTTP/1.1 302 Found', LOCATION, 'Content-Length: 256'], EVERY_BYTE)
  assert.equal(await relay(message(['HTTP/1.1 302 Found', LOCATION], EVERY_BYTE)), expected)
  assert.equal(await relay(message(['HTTP/1.0 302 Found', LOCATION], EVERY_BYTE)), expected)
})

test('a compressed body is not decompressed: a bomb costs nothing', async () => {
  const zeros = Buffer.alloc(16 * 1024 * 1024)
  const bomb = gzipSync(zeros)
  const head = ['HTTP/1.1 302 Found', LOCATION, 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`]
  const bytes = message(head, bomb.toString('latin1'))
  const before = process.memoryUsage()
  assert.equal(await relay(bytes), bytes)
  const after = process.memoryUsage()
  assert.ok(after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed < zeros.length / 2)
})

test('the largest body that is relayed has 64 KiB', async () => {
  const withBody = (length: number) =>
    message(['HTTP/1.1 302 Found', LOCATION, `Content-Length: ${length}`], 'x'.repeat(length))
  assert.equal(await relay(withBody(65_536)), withBody(65_536))
  assert.match(await relay(withBody(65_537)), /^HTTP\/1\.1 502 /)
})

test('interim responses are not relayed', async () => {
  const bytes = message(['HTTP/1.1 302 Found', LOCATION, 'Content-Length: 0'])
  const hints = message([
    'HTTP/1.1 103 Early Hints',
    'Link: </style.css>; rel=preload',
    'Location: https://other.example/',
  ])
  assert.equal(await relay(`HTTP/1.1 100 Continue\r\n\r\n${hints}${hints}${bytes}`), bytes)
})

test('a long or a numerous head is relayed whole, up to 16 KB', async () => {
  const long = message(['HTTP/1.1 302 Found', `X-Long: ${'x'.repeat(8_000)}`, LOCATION, 'Content-Length: 0'])
  assert.equal(await relay(long), long)
  const numerous = ['HTTP/1.1 302 Found', ...Array(1_500).fill('X: abc'), LOCATION, 'Content-Length: 0']
  assert.ok((await relay(message(numerous))) === message(numerous))
  const tooLong = message(['HTTP/1.1 302 Found', LOCATION, `X-Long: ${'x'.repeat(20_000)}`, 'Content-Length: 0'])
  assert.match(await relay(tooLong), /^HTTP\/1\.1 502 /)
})

test('a byte that cannot be relayed makes the response broken', async () => {
  // Of the printable ones, those that separate something.
  const bytes = [...EVERY_BYTE].filter((byte) => !/[\w!-'*+.^`|~]/.test(byte) && byte < '\xa1').concat('\xff')
  for (const byte of bytes) {
    const inValue = message(['HTTP/1.1 302 Found', `X-Byte: a${byte}b`, LOCATION, 'Content-Length: 0'])
    // After a colon it belongs to the value.
    const inName = message(['HTTP/1.1 302 Found', `X-${byte.replace(':', '')}: b`, LOCATION, 'Content-Length: 0'])
    const inReason = message([`HTTP/1.1 302 Fo${byte}nd`, LOCATION, 'Content-Length: 0'])
    const inLocation = message(['HTTP/1.1 302 Found', `${LOCATION}a${byte}b`, 'Content-Length: 0'])
    for (const [index, sent] of [inValue, inName, inReason, inLocation].entries()) {
      const got = await relay(sent)
      const isText = byte > ' ' && byte !== '\x7f'
      if (got !== sent) assert.match(got, /^HTTP\/1\.1 502 /, `byte ${byte.charCodeAt(0)}, place ${index}`)
      assert.ok(got === sent || index === 1 || !isText, `byte ${byte.charCodeAt(0)}, place ${index}`)
    }
  }
})

test('a browser can reuse its keep-alive connection, and one of HTTP/1.0 gets the same response', async () => {
  // The shortest head: an empty reason phrase, and no header that the portal could add.
  const bytes = message(['HTTP/1.1 302 ', LOCATION, 'Content-Length: 2'], 'ok')
  const twice = (target: string) => `GET ${target} HTTP/1.1\r\nHost: portal.example\r\n\r\n${getBytes(target)}`
  assert.equal(await relay(bytes, twice), bytes + bytes)
  assert.equal(await relay(bytes, (target) => `GET ${target} HTTP/1.0\r\n\r\n`), bytes)
})
