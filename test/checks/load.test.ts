// The load against servers that answer as they should, late, or not as they should.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { makeServed } from '../support/certificates.ts'

import { freePort } from '../support/free-port.ts'
import { listed, load, type MeasuredTarget, percentile, sendLoad } from '../support/load/load.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const REQUESTS = ['/a', '/b'].map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`))

async function target(t: TestContext, server: Server, wishes: Partial<MeasuredTarget> = {}): Promise<MeasuredTarget> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const lengths = new Int32Array(REQUESTS.length).fill(-1)
  return { port, connections: 'kept', requests: REQUESTS, statuses: [200, 200], lengths, ...wishes }
}

function answering(listener: RequestListener) {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  return { server, connections: () => connections }
}

test('a closed loop keeps its connections and takes the requests in turn', async (t) => {
  const asked = { '/a': 0, '/b': 0 }
  const { server, connections } = answering(({ url }, response) => {
    asked[url as '/a' | '/b']++
    response.end(url === '/a' ? 'short' : 'longer')
  })
  const aim = await target(t, server)
  const result = await load(aim, { connections: 3, seconds: 0.2 })
  assert.equal(result.answers, asked['/a'] + asked['/b'])
  assert.ok(result.answers > 3)
  assert.ok(Math.abs(asked['/a'] - asked['/b']) <= 1)
  assert.equal(connections(), 3)
  assert.deepEqual([...aim.lengths], [5, 6])
  assert.equal(result.latency.count, result.answers)
})

test('at a constant rate a halt of the server counts for every request that it made late', async (t) => {
  let isFirst = true
  const { server } = answering((_request, response) => {
    if (isFirst) setTimeout(() => response.end(), 400)
    else response.end()
    isFirst = false
  })
  // One connection: all that is meant for the time of the halt has to wait.
  const aim = await target(t, server)
  const { answers, latency } = await load(aim, { connections: 1, seconds: 0.8, rate: 100 })
  assert.equal(answers, 80)
  // Of 40 requests meant for the halt half waited for 200 ms or longer. A closed loop would have seen one late answer.
  assert.ok(latency.percentile(80) > 150_000, `${latency.percentile(80)} µs`)
})

test('a server that ends its connections gets new ones', async (t) => {
  const { server, connections } = answering((_request, response) => {
    response.setHeader('connection', 'close').end('x')
  })
  const { answers } = await load(await target(t, server), { connections: 2, seconds: 0.2 })
  assert.ok(answers > 2)
  assert.equal(connections(), answers)
})

test('an answer that is not as it has to be ends the run', async (t) => {
  const plan = { connections: 1, seconds: 5 }
  const failing = async (listener: RequestListener, message: RegExp) => {
    const aim = await target(t, answering(listener).server)
    await assert.rejects(load(aim, plan), message)
  }
  await failing((_request, response) => response.writeHead(503).end('x'), /request 0 was answered with 503/)
  let length = 0
  await failing((_request, response) => response.end('x'.repeat(++length)), /request 0 was answered with 3 bytes/)
  await failing((_request, response) => response.write('x'), /without a length/)
  await failing(({ socket }) => socket.destroy(), /request 0 was not answered: the server closed the connection/)
})

test('over TLS each request may have a new or a resumed connection', { skip: skipWithoutOpenssl }, async (t) => {
  const { ca, leaf } = makeServed('portal.example')
  const server = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, (_request, response) => response.end('x'))
  const resumed: boolean[] = []
  server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
  const tls = { servername: 'portal.example', ca: ca.certificate }
  const aim = await target(t, server, { tls, connections: 'new' })
  const plan = { connections: 2, seconds: 0.2 }
  const { answers } = await load(aim, plan)
  assert.equal(resumed.length, answers)
  assert.ok(!resumed.includes(true))

  resumed.length = 0
  const again = await load({ ...aim, connections: 'resumed' }, plan)
  assert.equal(resumed.filter(Boolean).length, again.answers)
  assert.ok(resumed.length <= again.answers + plan.connections, 'one more for each, to be given a session')
})

describe('every outcome is counted', () => {
  const send = async (
    t: TestContext,
    listener: RequestListener,
    wishes: Partial<Parameters<typeof sendLoad>[0]> = {},
  ) => {
    const { port } = await target(t, createServer(listener))
    return await sendLoad({ port, targets: ['/a', '/b'], rate: 100, seconds: 0.4, connections: 8, ...wishes })
  }

  test('answers by status, and the 503 that say when to come again', async (t) => {
    let count = 0
    const { answers, withRetryAfter, latency, perSecond } = await send(t, ({ url, headers }, response) => {
      assert.equal(headers.host, 'portal.example')
      if (url === '/a') response.setHeader('content-length', 1).end('x')
      else {
        if (count++ % 2 === 0) response.setHeader('retry-after', 5)
        response.writeHead(503, { 'content-length': 0 }).end()
      }
    })
    assert.equal(listed(answers), '200: 20, 503: 20')
    assert.equal(withRetryAfter, 10)
    assert.equal(latency.count, 40)
    assert.ok(perSecond > 50 && perSecond <= 110, `${perSecond}`)
  })

  test('a connection that breaks, and the next request has another one', async (t) => {
    const { answers } = await send(t, ({ url, socket }, response) => {
      if (url === '/a') socket.destroy()
      else response.setHeader('content-length', 0).end()
    })
    assert.equal(listed(answers), '200: 20, broken: 20')
  })

  test('nobody listens', async () => {
    const port = await freePort()
    const { answers } = await sendLoad({ port, targets: ['/'], rate: 50, seconds: 0.2, connections: 10 })
    assert.equal(listed(answers), 'refused: 10')
  })

  test('no answer in time, and no free connection within a second', async (t) => {
    const { answers, latency } = await send(t, () => {}, { rate: 10, seconds: 2, connections: 3, patience: 1_500 })
    assert.equal(latency.count, 0)
    assert.ok((answers.get('unanswered') ?? 0) >= 3, listed(answers))
    assert.ok((answers.get('no connection') ?? 0) >= 5, listed(answers))
    assert.equal(
      answers.values().reduce((sum, count) => sum + count, 0),
      20,
    )
  })

  test('the latency counts from when a request is sent, not from when it is due', async (t) => {
    let isFirst = true
    const result = await send(
      t,
      (_request, response) => {
        setTimeout(() => response.setHeader('content-length', 0).end(), isFirst ? 300 : 0)
        isFirst = false
      },
      { rate: 50, connections: 1 },
    )
    assert.equal(listed(result.answers), '200: 20')
    assert.ok(percentile(result, 80) < 150, `${percentile(result, 80)} ms`)
    assert.ok(percentile(result, 100) >= 300)
  })

  test('connections are opened when they are needed', async (t) => {
    const { server, connections } = answering((_request, response) => response.setHeader('content-length', 0).end())
    const { port } = await target(t, server)
    await sendLoad({ port, targets: ['/'], rate: 20, seconds: 0.3, connections: 50 })
    assert.ok(connections() < 5, `${connections()}`)
  })
})
