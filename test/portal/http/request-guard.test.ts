// Requests that two servers in a chain could parse differently are refused, and close their connection.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { claims, verdictTarget } from '../../support/payloads.ts'
import { NOW, startPortal } from '../../support/portal.ts'
import { exchange, exchangeBytes } from '../exchange.ts'

const portal = await startPortal({ after })

const target = verdictTarget(claims(NOW))
const BEHIND = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'

const refused: Readonly<Record<string, readonly [status: number, reason: string, head: string, body?: string]>> = {
  'no host': [400, 'host', `GET ${target} HTTP/1.1\r\n`],
  'two hosts': [400, 'host', `GET ${target} HTTP/1.1\r\nHost: a\r\nHost: b\r\n`],
  'a body that is a request': [
    400,
    'body',
    `GET ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${BEHIND.length}\r\n`,
    BEHIND,
  ],
  'a body in chunks': [
    400,
    'body',
    `GET ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n`,
    '5\r\nhello\r\n0\r\n\r\n',
  ],
  'a body, announced': [
    400,
    'body',
    `HEAD ${target} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n`,
  ],
  'a content encoding': [415, 'content encoding', `GET ${target} HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n`],
  'a target in absolute form': [400, 'target', `GET http://a${target} HTTP/1.1\r\nHost: a\r\n`],
}

describe('refused, with the common headers, and no pipelined request runs', () => {
  for (const [name, [status, reason, head, body = '']] of Object.entries(refused)) {
    test(name, async () => {
      const before = portal.logged().length
      const response = await exchangeBytes(portal, `${head}\r\n${body}${BEHIND.repeat(3)}`)
      const statuses = Array.from(response.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => Number(status))
      assert.deepEqual(
        statuses.filter((status) => status !== 100),
        [status],
      )
      for (const header of ['connection: close', 'x-content-type-options: nosniff', 'content-length: 0']) {
        assert.match(response, new RegExp(`^${header}\\r$`, 'im'))
      }
      const lines = portal.logged().slice(before)
      assert.deepEqual(
        lines.map(({ status, refusal }) => ({ status, refusal })),
        [{ status, refusal: reason }],
      )
    })
  }
})

test('harmless requests pass: HTTP/1.0 without a host, an empty body', async () => {
  assert.match(await exchangeBytes(portal, 'GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
  assert.equal((await exchange(portal, target, { 'Content-Length': '0' })).status, 200)
})

test('another method is refused as such, and its body is not read', async () => {
  const post = `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello`
  assert.match(await exchangeBytes(portal, post), /^HTTP\/1\.1 405 /)
})

test('names of prototypes, and cookies that cannot be decoded, are harmless', async () => {
  const names = '__proto__: 1\r\nconstructor: 1\r\ntoString: 1\r\nCookie: __proto__=1; a=%E0%A4%A\r\n'
  const request = `GET /privacy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${names}\r\n`
  assert.match(await exchangeBytes(portal, request), /^HTTP\/1\.1 200 /)
})

test('a header after many others is read, and too many are rejected', async () => {
  for (const [count, hidden, status] of [
    [900, '', 200],
    [900, 'Content-Length: 5', 400],
    [900, 'Host: b', 400],
    [900, 'Content-Encoding: gzip', 415],
    [2_100, '', 431],
  ] as const) {
    const headers = [...Array(count).fill('a:'), ...(hidden === '' ? [] : [hidden])].join('\r\n')
    const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n\r\n`
    assert.match(await exchangeBytes(portal, request), new RegExp(`^HTTP/1\\.1 ${status} `), `${count} ${hidden}`)
  }
})

describe('time limits', { concurrency: true }, () => {
  test('a client that sends its headers slowly is disconnected', async () => {
    const opened = Date.now()
    const response = await exchangeBytes(portal, 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: ', 15_000)
    assert.match(response, /^HTTP\/1\.1 408 /)
    assert.ok(Date.now() - opened < 13_000)
  })

  test('a connection that was idle for longer than the terminator keeps one is still served', async (t) => {
    const nginx = readFileSync(new URL('../../../deploy/terminator/nginx.conf', import.meta.url), 'utf8')
    const seconds = Number(/^ {4}upstream portal \{.*?^ {8}keepalive_timeout (\d+)s;/ms.exec(nginx)?.[1])
    assert.ok(seconds >= 1)
    const socket = connect(portal.port, '127.0.0.1')
    t.after(() => socket.destroy())
    const isServed = async () => {
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
      return String((await once(socket, 'data', { signal: AbortSignal.timeout(5_000) }))[0]).startsWith('HTTP/1.1 200 ')
    }
    assert.ok(await isServed())
    // Node itself waits a second longer than it says.
    await sleep((seconds + 3) * 1000)
    assert.ok(await isServed())
  })
})
