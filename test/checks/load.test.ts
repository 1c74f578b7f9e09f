// The load generator against servers that respond correctly, late or incorrectly.
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Server } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { makeServed } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { listed, load, type MeasuredTarget, percentile, sendLoad } from '../support/load/load.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const REQUESTS = ['/a', '/b'].map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`))

async function target(t: TestContext, server: Server, changes: Partial<MeasuredTarget> = {}): Promise<MeasuredTarget> {
  const port = await listen(t, server)
  const lengths = new Int32Array(REQUESTS.length).fill(-1)
  return { port, connections: 'kept', requests: REQUESTS, statuses: [200, 200], lengths, ...changes }
}

function serving(listener: RequestListener) {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  return { server, connections: () => connections }
}

test('a closed loop keeps its connections and takes the requests in turn', async (t) => {
  const asked = { '/a': 0, '/b': 0 }
  const { server, connections } = serving(({ url }, response) => {
    asked[url as '/a' | '/b']++
    response.end(url === '/a' ? 'short' : 'longer')
  })
  const aim = await target(t, server)
  const result = await load(aim, { connections: 3, seconds: 1 })
  assert.equal(result.responses, asked['/a'] + asked['/b'])
  assert.ok(result.responses > 3)
  assert.ok(Math.abs(asked['/a'] - asked['/b']) <= 1)
  assert.equal(connections(), 3)
  assert.deepEqual([...aim.lengths], [5, 6])
  assert.equal(result.latency.count, result.responses)
})

test('at a constant rate a stall of the server counts for every request that it delays', async (t) => {
  let isFirst = true
  const { server } = serving((_request, response) => {
    if (isFirst) setTimeout(() => response.end(), 400)
    else response.end()
    isFirst = false
  })
  // One connection: all requests due during the stall must wait.
  const aim = await target(t, server)
  const { responses, latency } = await load(aim, { connections: 1, seconds: 0.8, rate: 100 })
  assert.equal(responses, 80)
  // Of 40 requests due during the stall, half waited for 200 ms or longer. A closed loop would see one late response.
  assert.ok(latency.percentile(80) > 150_000, `${latency.percentile(80)} µs`)
})

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

test('a chunked response is over with its last chunk, wherever it is split', async (t) => {
  const bytes = `${CHUNKED}3\r\nabc\r\n0\r\n\r\n`
  let split = CHUNKED.length - 1
  const { server, connections } = serving(({ socket }) => {
    socket.write(bytes.slice(0, split))
    setTimeout(() => socket.write(bytes.slice(split++)), 5)
  })
  server.on('connection', (socket) => socket.setNoDelay())
  // Every place from the end of the head to the last byte.
  const places = bytes.length - split
  const { responses } = await load(await target(t, server), { connections: 1, seconds: places / 10, rate: 10 })
  assert.deepEqual([responses, connections()], [places, 1])
})

/** A proxy to an origin for these hosts. */
function proxying(hosts: readonly string[]) {
  const { ca, leaf } = makeServed(...hosts)
  /** Hosts and paths, as the origin receives them. */
  const seen: string[] = []
  const origin = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, ({ socket, url }, response) => {
    seen.push(`${(socket as TLSSocket).servername}${url}`)
    response.end('x')
  })
  const { server } = serving((_request, response) => response.writeHead(501).end())
  const tunnels: string[] = []
  server.on('connect', ({ url }, socket) => {
    tunnels.push(url as string)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    origin.emit('connection', socket)
  })
  const paths = ['/0', '/1', '/2', '/3', '/4', '/5']
  const changes = {
    requests: paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)),
    statuses: paths.map(() => 200),
    lengths: new Int32Array(paths.length).fill(-1),
    tls: { ca: ca.certificate },
  }
  return { server, seen, tunnels, changes }
}

test('through a proxy each connection has its own host and its own requests', {
  skip: skipWithoutOpenssl,
}, async (t) => {
  const hosts = ['a.example', 'b.example', 'c.example']
  const { server, seen, tunnels, changes } = proxying(hosts)
  const aim = await target(t, server, { ...changes, tunnels: hosts, isBoundToConnection: true })
  const { responses } = await load(aim, { connections: 3, seconds: 1 })
  assert.deepEqual(tunnels.toSorted(), ['a.example:443', 'b.example:443', 'c.example:443'])
  assert.ok(responses > 6)
  const expected = ['a.example/0', 'a.example/3', 'b.example/1', 'b.example/4', 'c.example/2', 'c.example/5']
  assert.deepEqual([...new Set(seen)].toSorted(), expected)

  server.removeAllListeners('connect')
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  await assert.rejects(load(aim, { connections: 1, seconds: 1 }), /CONNECT to a.example got HTTP\/1.1 403 Forbidden/)
})

test('an unexpected response ends the run', async (t) => {
  const plan = { connections: 1, seconds: 5 }
  const failing = async (listener: RequestListener, message: RegExp) => {
    const aim = await target(t, serving(listener).server)
    await assert.rejects(load(aim, plan), message)
  }
  await failing((_request, response) => response.writeHead(503).end('x'), /request 0 got status 503/)
  let length = 0
  await failing((_request, response) => response.end('x'.repeat(++length)), /request 0 got 3 bytes/)
  await failing(({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nx'), /without a length/)
  await failing(({ socket }) => socket.end(`${CHUNKED}1\r\nx\r\n`), /request 0 got no response: the server closed/)
  await failing(({ socket }) => socket.destroy(), /request 0 got no response: the server closed the connection/)
})

test('over TLS each request may have a new connection', { skip: skipWithoutOpenssl }, async (t) => {
  const { ca, leaf } = makeServed('portal.example')
  const server = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, (_request, response) => response.end('x'))
  const resumed: boolean[] = []
  server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
  const tls = { servername: 'portal.example', ca: ca.certificate }
  const { responses } = await load(await target(t, server, { tls, connections: 'new' }), {
    connections: 2,
    seconds: 0.2,
  })
  assert.deepEqual(resumed, Array(responses).fill(false))
})

describe('every outcome is counted', () => {
  const send = async (t: TestContext, listener: RequestListener, changes: object = {}) => {
    const port = await listen(t, createServer(listener))
    // A connection for each request, because on a busy machine all may be due at once.
    return await sendLoad({ port, targets: ['/a', '/b'], rate: 100, seconds: 0.4, connections: 40, ...changes })
  }

  test('responses by status, and 503 responses with Retry-After', async (t) => {
    let count = 0
    const { responses, withRetryAfter, latency, perSecond } = await send(t, ({ url, headers }, response) => {
      assert.equal(headers.host, 'portal.example')
      if (url === '/a') response.setHeader('content-length', 1).end('x')
      else {
        if (count++ % 2 === 0) response.setHeader('retry-after', 5)
        response.writeHead(503, { 'content-length': 0 }).end()
      }
    })
    assert.equal(listed(responses), '200: 20, 503: 20')
    assert.equal(withRetryAfter, 10)
    assert.equal(latency.count, 40)
    assert.ok(perSecond > 50 && perSecond <= 110, `${perSecond}`)
  })

  test('a broken connection, which the next request replaces', async (t) => {
    const { responses } = await send(t, ({ url, socket }, response) => {
      if (url === '/a') socket.destroy()
      else response.setHeader('content-length', 0).end()
    })
    assert.equal(listed(responses), '200: 20, broken: 20')
  })

  test('no server', async () => {
    const port = await freePort()
    const { responses } = await sendLoad({ port, targets: ['/'], rate: 50, seconds: 0.2, connections: 10 })
    assert.equal(listed(responses), 'refused: 10')
  })

  test('no response in time, and no free connection within a second', async (t) => {
    const { responses, latency } = await send(t, () => {}, { rate: 10, seconds: 2, connections: 3, patience: 1_500 })
    assert.equal(latency.count, 0)
    assert.ok((responses.get('unanswered') ?? 0) >= 3, listed(responses))
    assert.ok((responses.get('no connection') ?? 0) >= 5, listed(responses))
    const all = [...responses.values()].reduce((sum, count) => sum + count, 0)
    assert.equal(all, 20)
  })

  test('the latency counts from when a request is sent, not from when it is due', async (t) => {
    let wait = 300
    const listener: RequestListener = (_request, response) => {
      setTimeout(() => response.setHeader('content-length', 0).end(), wait)
      wait = 0
    }
    const result = await send(t, listener, { rate: 50, connections: 1 })
    assert.equal(listed(result.responses), '200: 20')
    assert.ok(percentile(result, 80) < 150, `${percentile(result, 80)} ms`)
    assert.ok(percentile(result, 100) >= 300)
  })
})
