// Stories of one client that took the engine's time, its memory, or kept it from stopping; each suite is one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startControlServer } from '../../src/engine/control-api/server.ts'
import { parseHttpHead } from '../../src/engine/icap/http-head.ts'
import { createStoppedRequests } from '../../src/engine/monitoring/stopped-requests.ts'
import { parseClient } from '../../src/engine/request/client.ts'
import { connect, statusesOf } from '../engine/icap/in-memory.ts'
import { chunked, get, OPTIONS, reqmod } from '../engine/icap/messages.ts'
import { startIcap } from '../engine/icap/running-icap.ts'
import { makeServed } from '../support/certificates.ts'
import type { Cleanup } from '../support/cleanup.ts'

// Seen: while one client pipelined ICAP requests, or sent a body in chunks of one byte, others waited 60 to 700 ms for each
// decision; OPTIONS, which needs no token, sufficed. A connection handled all that it had received before another had its turn,
// and Node reads up to 2 MB from one socket. Since there is an ICAP listener. A client that sends one request after the other
// kept nobody waiting.
describe('one proxy kept the others waiting', () => {
  const MANY = 5000

  /** What a client that sends this has received when another one, which sends a request after it, has its decision. */
  async function receivedBefore(message: string): Promise<{ readonly early: string; readonly all: string }> {
    const [busy, other] = [connect(), connect()]
    let received = ''
    busy.stream.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    busy.stream.write(message, 'latin1')
    other.stream.write(reqmod({ fields: ['Allow: 204'] }), 'latin1')
    const early = await new Promise<string>((resolve) => other.stream.once('data', () => resolve(received)))
    busy.stream.end()
    await new Promise((resolve) => busy.stream.once('close', resolve))
    return { early, all: received }
  }

  test('pipelined requests', async () => {
    const { early, all } = await receivedBefore(OPTIONS.repeat(MANY))
    assert.ok(statusesOf(early).length < MANY / 2, `${statusesOf(early).length} responses`)
    assert.deepEqual(statusesOf(all), Array(MANY).fill(200))
  })
  test('a body in small chunks', async () => {
    const http = get('http://open.example/form', 'POST')
    const { early, all } = await receivedBefore(reqmod({ http, body: chunked(...'x'.repeat(MANY)) }))
    assert.ok(early.length < MANY, `${early.length} bytes`)
    assert.ok(all.endsWith(chunked(...'x'.repeat(MANY))))
  })
  test('control: a single request has its response first', async () => {
    const { early, all } = await receivedBefore(OPTIONS)
    assert.deepEqual(statusesOf(early), [200])
    assert.equal(all, early)
  })
})

// A client that connected to the control API and sent no TLS handshake stayed connected, and the engine did not stop
// before it was killed: when the time for the handshake was over, the 400 that the listener wrote waited for the end of that
// handshake, and Node's `closeAllConnections` knows only connections that have completed it. An ICAP listener with TLS kept
// such clients until it stopped: Node reports that their time is over, and leaves it to the listener to close them. Since 2026.48.0.
describe('a silent client kept the engine from stopping', () => {
  const { ca, leaf } = makeServed('localhost')
  const pair = { cert: leaf.certificate, key: leaf.key }
  const patience = () => ({ signal: AbortSignal.timeout(15_000) })

  async function startControl(limits: { readonly requestMs?: number; readonly stopMs?: number }) {
    const server = await startControlServer({
      ...{ certificate: pair, host: '127.0.0.1', port: 0, limits },
      listener: (_, response) => response.end(),
    })
    return { stop: server.stop, port: Number(new URL(server.address).port) }
  }
  async function silentClient(t: Cleanup, port: number) {
    const socket = connectTcp(port, '127.0.0.1')
    t.after(async () => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  test('the control API stops although a client never completes its handshake', async (t) => {
    const { port, stop } = await startControl({ stopMs: 100 })
    const closed = once(await silentClient(t, port), 'close', patience())
    void stop()
    await closed
  })
  test('the control API and ICAP disconnect a client that never completes its handshake', async (t) => {
    const control = await startControl({ requestMs: 100 })
    const icap = await startIcap(t, { tls: pair, limits: { requestMs: 100 } })
    for (const { port } of [control, icap]) await once(await silentClient(t, port), 'close', patience())
    await control.stop()
  })
  test('control: one that completes it in time is served', async (t) => {
    const { port, stop } = await startControl({ requestMs: 5_000 })
    t.after(stop)
    const client = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: ca.certificate })
    await once(client, 'secureConnect')
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const [response] = await once(client, 'data', patience())
    assert.match(String(response), /^HTTP\/1\.1 200 /)
    client.destroy()
  })
})

// Seen: 10,000 stopped requests whose heads had 8 KB each took 85 MiB of memory; heads may have 64 KiB. What the engine
// remembers of a request (URL, address, user) are parts of the strings that they were read from, and V8 keeps the whole string
// for a part of it: the cookies too. Since the engine remembers stopped requests. Requests whose target is a path were not
// affected, because their URL is put together.
describe('a stopped request kept its whole head', () => {
  const COUNT = 1000
  const PADDING = 'x'.repeat(32_000)

  function usedBytes(): number {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return process.memoryUsage().heapUsed
  }

  for (const [name, target, client] of [
    ['with an absolute target', 'http://casino.example/', '192.0.2.1 anna'],
    ['with a long address and a long name of a user', '/', '198.51.100.117 some.long.user.name'],
    ['control: with a path as its target', '/', '192.0.2.1 anna'],
  ] as const) {
    test(name, () => {
      const requests = createStoppedRequests(COUNT)
      const before = usedBytes()
      for (let at = 0; at < 2 * COUNT; at++) {
        const lines = [`GET ${target}${at} HTTP/1.1`, 'Host: casino.example', `Cookie: ${PADDING}`, '', '']
        const head = parseHttpHead(Buffer.from(lines.join('\r\n')))
        assert.ok(head.reason === undefined)
        const [address = '', user] = Buffer.from(`${client} ${PADDING}`).toString('latin1').split(' ')
        const request = { ...head, client: parseClient(address) ?? assert.fail(), user }
        requests.add({ reference: `r${at}`, at, request, verdict: 'block', rule: 'gambling', reason: undefined })
      }
      const bytes = usedBytes() - before
      assert.equal(requests.size, COUNT)
      assert.ok(bytes < 2_000_000, `${bytes} bytes`)
    })
  }
})
