// Requests that the HTTP parser cannot read end the connection, and what is pipelined behind them does not run.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startPortal } from '../support/portal.ts'
import { exchangeBytes } from './exchange.ts'

const portal = await startPortal(undefined)
after(() => portal.close())

const BEHIND = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
const unreadable: Readonly<Record<string, readonly [status: number, bytes: string]>> = {
  'no HTTP at all': [400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  'a method in lower case': [400, 'get /privacy HTTP/1.1\r\nHost: a\r\n\r\n'],
  'another version of HTTP': [400, 'GET /privacy HTTP/3.7\r\nHost: a\r\n\r\n'],
  'a space in the target': [400, 'GET /priv acy HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a bare line feed': [400, 'GET /privacy HTTP/1.1\nHost: a\n\n'],
  'NUL in a header': [400, 'GET /privacy HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n'],
  'a header without a colon': [400, 'GET /privacy HTTP/1.1\r\nHost: a\r\nX\r\n\r\n'],
  'a space before the colon': [400, 'GET /privacy HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n'],
  'two lengths': [400, 'GET /privacy HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n'],
  'a length and chunks': [
    400,
    'GET /privacy HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  '40 KB of headers': [431, `GET /privacy HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  'a target of 40 KB': [431, `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
}

describe('the connection ends, and nothing behind runs', () => {
  for (const [name, [status, bytes]] of Object.entries(unreadable)) {
    test(name, async () => {
      const before = portal.logged().length
      const answer = await exchangeBytes(portal, bytes + BEHIND.repeat(3))
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`, 'i'))
      assert.match(answer, /^connection: close\r$/im)
      assert.equal(answer.match(/HTTP\/1\.1/g)?.length, 1)
      const [line, ...more] = portal.logged().slice(before)
      const expected = { level: 30, event: 'unroutable', route: 'unreadable', status, code: '', msg: 'request' }
      assert.deepEqual({ ...line, code: '' }, expected)
      assert.match(String(line?.code), /^HPE_[A-Z_]+$/)
      assert.deepEqual(more, [])
    })
  }
  test('and nothing of it is echoed', async () => {
    const answer = await exchangeBytes(portal, 'GET /zqmarker HTTP/1.1\r\nHost: zqmarker\r\nzq marker: x\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.doesNotMatch(answer, /zq/)
    assert.doesNotMatch(portal.logText(), /zq/)
  })
})

test('what came before on the same connection is answered first', async () => {
  const answer = await exchangeBytes(portal, `${BEHIND}BROKEN\r\n\r\n${BEHIND}`)
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'])
})

describe('a request that wants another protocol is answered in this one', () => {
  for (const [name, upgrade] of Object.entries({
    'a web socket': 'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    h2c: 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  })) {
    test(`${name}: and its connection ends, because nothing behind would be read`, async () => {
      const request = `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n${upgrade}\r\n\r\n`
      const answer = await exchangeBytes(portal, request + BEHIND, 2_000)
      assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'])
      assert.match(answer, /^connection: close\r$/im)
    })
  }
})
