// The request guard of the operations listener: two paths, two methods, nothing else.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { exchangeBytes } from '../portal/exchange.ts'
import { startOperations } from '../portal/monitoring/operations.ts'

const operations = await startOperations({ after })

test('GET and HEAD of the paths', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const got = await operations.send(path)
    assert.equal(got.head.get('cache-control'), 'no-store')
    assert.equal(got.head.get('x-content-type-options'), 'nosniff')
    assert.ok(got.body.length > (path === '/healthz' ? 10 : 100))
    const head = await operations.send(path, 'HEAD')
    assert.deepEqual([head.status, head.body], [got.status, ''])
    assert.equal(head.head.get('content-type'), got.head.get('content-type'))
  }
  assert.equal((await operations.send('/metrics')).head.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
})

test('a query and a slash at the end are ignored', async () => {
  for (const path of ['/healthz?x', '/healthz/', '/readyz/?_=1', '/metrics?a/b?c']) {
    assert.notEqual((await operations.send(path)).status, 404, path)
  }
})

const REFUSED: readonly (readonly [status: number, start: string, ...headers: string[]])[] = [
  [404, 'GET / HTTP/1.1'],
  [404, 'GET /metrics// HTTP/1.1'],
  [404, 'GET //metrics HTTP/1.1'],
  [404, 'GET http://a/metrics HTTP/1.1'],
  [404, 'GET /__proto__ HTTP/1.1'],
  [404, 'OPTIONS * HTTP/1.1'],
  [405, 'POST /metrics HTTP/1.1'],
  [400, 'GET /metrics HTTP/1.1', 'Content-Length: 1', '', 'x'],
  [400, 'GET /metrics HTTP/1.1', 'Transfer-Encoding: chunked'],
  [431, 'GET /metrics HTTP/1.1', `X: ${'x'.repeat(9_000)}`],
]
for (const [status, start, ...headers] of REFUSED) {
  test(`${status}: ${start}${headers.length === 0 ? '' : `, ${headers[0]?.slice(0, 30)}`}`, async () => {
    const response = await exchangeBytes(operations, [start, 'Host: zqhost', ...headers, '', ''].join('\r\n'))
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.match(response, /^connection: close\r$/im)
    assert.equal(response.split('\r\n\r\n')[1], '')
    assert.doesNotMatch(response, /zq/)
  })
}

test('a CONNECT request is closed', async () => {
  assert.equal(await exchangeBytes(operations, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'), '')
})

test('a slow client is disconnected after five seconds', async () => {
  const startedAt = performance.now()
  assert.match(await exchangeBytes(operations, 'GET /metrics HTTP/1.1\r\nHost', 30_000), /^HTTP\/1\.1 408 /)
  const milliseconds = performance.now() - startedAt
  // Without a limit of its own, Node's is a minute, and it looks every half minute.
  assert.ok(milliseconds >= 4_000 && milliseconds < 15_000, `${milliseconds.toFixed(0)} ms`)
})

test('it accepts 32 connections, and closes one more', async (t) => {
  const sockets = Array.from({ length: 32 }, () => connect(operations.port, '127.0.0.1'))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (const socket of sockets) {
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /)
  }
  assert.equal(await exchangeBytes(operations, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'), '')
})

test('the portal itself serves neither path', async () => {
  for (const path of ['/readyz', '/metrics']) assert.equal((await operations.portal.get(path)).status, 404)
})
