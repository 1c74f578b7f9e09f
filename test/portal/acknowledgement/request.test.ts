// What the engine receives: one request on its own connection, with a fixed set of headers, and nothing else from the
// browser.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type HostileEngine, rawResponse, respondWith } from '../../support/hostile-engine.ts'
import type { RunningPortal } from '../../support/portal.ts'
import { until } from '../../support/until.ts'
import { exchange, exchangeBytes } from '../exchange.ts'
import { acceptanceOf, acknowledgement, getBytes, PASSPHRASE, startRelay } from './relay.ts'

const REDIRECT = respondWith(rawResponse('302 Found', ['Location: https://news.example/']))
const { portal, engine } = await startRelay({ after }, REDIRECT)

interface EngineRequest {
  readonly line: string
  /** By lower-case name; each occurs once. */
  readonly headers: ReadonlyMap<string, string>
}

/** The only request of the latest connection. */
function latest({ connections }: HostileEngine): EngineRequest {
  const received = connections.at(-1)?.received() ?? ''
  const [head = '', ...more] = received.split('\r\n\r\n')
  assert.deepEqual(more, [''])
  const [line = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 2)]),
  )
  assert.equal(headers.size, lines.length)
  return { line, headers }
}

const FIXED = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  connection: 'close',
  host: new URL(engine.url).host,
  'user-agent': `captive-portal/${portal.config.release.version}`,
  'x-forwarded-for': '127.0.0.1',
}

const HOSTILE_HEADERS = [
  'Connection: close, Host, Cookie, X-Forwarded-For, X-Override-Code, Authorization',
  'Cookie: session=zq-cookie',
  'Authorization: Basic enE6cGFzcw==',
  'User-Agent: Browser/1',
  'Accept: text/html',
  'Accept-Language: de',
  'Accept-Encoding: br',
  'Referer: https://portal.example/aup',
  'X-Forwarded-For: 203.0.113.66',
  'X-Forwarded-For: 203.0.113.67',
  'X-Forwarded-Host: evil.example',
  'X-Forwarded-Proto: https',
  'X_Forwarded_For: 203.0.113.68',
  'Forwarded: for=203.0.113.69',
  'X-Real-IP: 203.0.113.70',
  'Proxy-Authorization: Basic enE6cGFzcw==',
  'TE: trailers',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'Expect: 100-continue',
  '__proto__: polluted',
]

test('exactly the fixed headers, with any headers from the browser', async () => {
  const { target, query } = acknowledgement()
  assert.match(await exchangeBytes(portal, getBytes(target)), /^HTTP\/1\.1 302 /)
  const plain = latest(engine)
  assert.equal(plain.line, `GET /api/captive/ack?${query} HTTP/1.1`)
  assert.deepEqual(Object.fromEntries(plain.headers), FIXED)

  assert.match(await exchangeBytes(portal, getBytes(target, HOSTILE_HEADERS)), /HTTP\/1\.1 302 /)
  assert.deepEqual(latest(engine), plain)
})

test('the three values are the same bytes, in any order', async () => {
  const { target, query } = acknowledgement({ kind: 'warn' })
  await exchange(portal, target.replace(query, query.split('&').reverse().join('&')))
  assert.equal(latest(engine).line, `GET /api/captive/ack?${query} HTTP/1.1`)
})

test('the configured path and token', async (t) => {
  const other = await startRelay(t, REDIRECT, {
    env: { ENGINE_ACK_PATH: '/control/v2/ack%20now', ENGINE_API_TOKEN: 'zq-token.0+/=' },
  })
  const { target, query } = acknowledgement()
  await exchange(other.portal, target, { Authorization: 'Bearer stolen' })
  const { line, headers } = latest(other.engine)
  assert.equal(line, `GET /control/v2/ack%20now?${query} HTTP/1.1`)
  assert.equal(headers.get('authorization'), 'Bearer zq-token.0+/=')
  assert.equal(headers.size, Object.keys(FIXED).length + 1)
  assert.doesNotMatch(other.portal.logText(), /zq-token/)
})

test('one connection per request, closed after the response, even if the engine keeps it alive', async () => {
  const before = engine.connections.length
  // Keeps the connection alive, with a response ready for the next request.
  engine.behave((socket) => {
    const one = 'HTTP/1.1 302 Found\r\nConnection: keep-alive\r\nContent-Length: 0\r\nLocation: https://news.example/'
    socket.write(`${one}\r\n\r\n${one}poisoned\r\n\r\n`)
  })
  for (const _ of Array(3)) {
    const { headers } = await exchange(portal, acknowledgement({ kind: 'warn' }).target)
    assert.equal(headers.get('location'), 'https://news.example/')
  }
  const connections = engine.connections.slice(before)
  assert.equal(connections.length, 3)
  await Promise.all(connections.map(({ closed }) => closed))
  for (const { received } of connections) assert.equal(received().split('\r\n\r\n').length, 2)
  engine.behave(REDIRECT)
})

describe('the code', () => {
  const codes: Readonly<Record<string, string>> = {
    'leading zeros': '000123',
    umlauts: 'Öffne dich, Äpfel',
    'emoji of several characters': '🗝️👩‍👩‍👧‍👦',
    'CR and LF': 'a\r\nX-Evil: 1\r\n\r\nGET / HTTP/1.1',
    'NUL and other controls': '\0\x01\t\x7f\u0085',
    'a lone percent sign, a plus': '100%25 + 50%',
    separators: `&=?#/\\;,:"'<>()[]{}|^\`~!*@$`,
    '256 bytes': '🗝'.repeat(64),
  }
  for (const [name, code] of Object.entries(codes)) {
    test(name, async () => {
      const { target } = acknowledgement({ ...PASSPHRASE, kind: 'warn' })
      assert.equal((await exchange(portal, target, { 'X-Override-Code': encodeURIComponent(code) })).status, 302)
      const { headers } = latest(engine)
      assert.equal(headers.get('x-override-code'), encodeURIComponent(code))
      assert.equal(decodeURIComponent(headers.get('x-override-code') ?? ''), code)
      assert.equal(headers.size, Object.keys(FIXED).length + 1)
      assert.equal(portal.logText().includes(encodeURIComponent(code)), false)
    })
  }
  test('is always re-encoded in the same way', async () => {
    const { target } = acknowledgement(PASSPHRASE)
    const spellings: Readonly<Record<string, string>> = {
      '%c3%bc': '%C3%BC',
      '%41b': 'Ab',
      'a b"c': 'a%20b%22c',
      '%2525': '%2525',
    }
    for (const [sent, received] of Object.entries(spellings)) {
      await exchange(portal, target, { 'X-Override-Code': sent })
      assert.equal(latest(engine).headers.get('x-override-code'), received)
    }
  })
})

describe('the address', async () => {
  const env = {
    GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
    GATEWAY_CAPTIVE_RECORD_CLIENT_ADDRESS: 'true',
  }
  const trusting = await startRelay({ after }, REDIRECT, { env })
  const forwarded: Readonly<Record<string, readonly [string | string[], address?: string]>> = {
    one: ['203.0.113.9', '203.0.113.9'],
    'through a second trusted proxy': ['203.0.113.9, 10.1.2.3', '203.0.113.9'],
    'after one that the visitor made up': ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    'in two headers': [['198.51.100.1', '203.0.113.9'], '203.0.113.9'],
    IPv6: ['2001:DB8:0:0::1', '2001:db8::1'],
    'IPv4 inside IPv6': ['::ffff:203.0.113.9', '203.0.113.9'],
    'IPv4 inside IPv6, in hexadecimal': ['::FFFF:CB00:7109', '203.0.113.9'],
    // Otherwise the peer's own.
    empty: [''],
    unknown: ['unknown'],
    'with a port': ['203.0.113.9:4711'],
    'in brackets': ['[2001:db8::1]'],
    'of octal numbers': ['0313.0.0.1'],
    'as one number': ['3405803785'],
    markup: ['<script>alert(1)</script>'],
    bytes: ['\xff\xfe'],
    commas: [',,,'],
  }
  for (const [name, [value, address = '127.0.0.1']] of Object.entries(forwarded)) {
    const headers = { 'X-Forwarded-For': value, Forwarded: 'for=203.0.113.8', 'X-Real-IP': '203.0.113.8' }
    test(`from a trusted proxy: ${name}`, async () => {
      const { target, reference } = acknowledgement()
      assert.equal((await exchange(trusting.portal, target, headers)).status, 302)
      const received = latest(trusting.engine).headers
      assert.equal(received.get('x-forwarded-for'), address)
      assert.equal(received.size, Object.keys(FIXED).length)
      assert.equal(acceptanceOf(trusting.portal, reference)?.client_address, address)
    })
    test(`from any other peer: ${name}`, async () => {
      const { target, reference } = acknowledgement()
      assert.equal((await exchange(portal, target, headers)).status, 302)
      assert.equal(latest(engine).headers.get('x-forwarded-for'), '127.0.0.1')
      // Recorded only if configured.
      assert.equal(acceptanceOf(portal, reference)?.client_address, null)
    })
  }
  test('that an untrusted peer forwards is a warning, once', () => {
    const warned = ({ portal }: { portal: RunningPortal }) =>
      portal.logged().filter(({ level, msg }) => level === 40 && String(msg).includes('X-Forwarded-For'))
    assert.deepEqual(
      warned({ portal }).map(({ peer }) => peer),
      ['127.0.0.1'],
    )
    assert.deepEqual(warned(trusting), [])
  })
})

test('no cookie, code or body of a browser reaches the log', async () => {
  await until(() => portal.logText().length > 1_000)
  assert.doesNotMatch(portal.logText(), /zq-[a-z]{4}|eyJhbGci|enE6|polluted/)
})
