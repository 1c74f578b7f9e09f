// Whether the engine's ICAP service responds: only its own 200 counts, and for `icaps://` only from a certificate that one of
// the given CAs has issued for the host.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { hasOptions } from '../../src/proxy/icap-service.ts'
import { makeServed } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const OK = 'ICAP/1.0 200 OK\r\nMethods: REQMOD\r\nISTag: "a"\r\n\r\n'

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** @returns what the service has received */
function respond(socket: Socket, response: string, received: string[] = []): void {
  socket.on('error', () => {})
  socket.once('data', (data) => {
    received.push(`${data}`)
    socket.write(response)
  })
}

const plain = (port: number) => ({ url: `icap://127.0.0.1:${port}/reqmod`, host: '127.0.0.1', port, isTls: false })

test('200, in one piece or byte by byte', async (t) => {
  const received: string[] = []
  const port = await listening(
    t,
    createServer((socket) => respond(socket, OK, received)),
  )
  assert.equal(await hasOptions(plain(port), ''), true)
  assert.deepEqual(received, [`OPTIONS icap://127.0.0.1:${port}/reqmod ICAP/1.0\r\nHost: 127.0.0.1\r\n\r\n`])
  const slow = createServer(async (socket) => {
    socket.on('error', () => {}).setNoDelay()
    for (const character of OK) {
      if (socket.destroyed) return
      await new Promise((resolve) => socket.write(character, resolve))
    }
  })
  assert.equal(await hasOptions(plain(await listening(t, slow)), ''), true)
})

test('anything else: another status or protocol, an end before it, a line without an end, nobody', async (t) => {
  for (const response of ['ICAP/1.0 503 Busy\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(100_000)]) {
    const port = await listening(
      t,
      createServer((socket) => respond(socket, response)),
    )
    assert.equal(await hasOptions(plain(port), ''), false, response)
  }
  const ending = await listening(
    t,
    createServer((socket) => socket.on('error', () => {}).end('ICAP/1.0 ')),
  )
  assert.equal(await hasOptions(plain(ending), ''), false)
  const closed = createServer()
  const port = await listening(t, closed)
  closed.close()
  assert.equal(await hasOptions(plain(port), ''), false)
})

test('a service that never responds: false after three seconds', async (t) => {
  const sockets: Socket[] = []
  const port = await listening(
    t,
    createServer((socket) => sockets.push(socket)),
  )
  const from = performance.now()
  assert.equal(await hasOptions(plain(port), ''), false)
  const seconds = (performance.now() - from) / 1000
  assert.ok(seconds > 2.5 && seconds < 6, `${seconds}`)
  for (const socket of sockets) socket.destroy()
})

describe('icaps://', { skip: skipWithoutOpenssl }, () => {
  test('verified with one of the CAs, for this host alone', async (t) => {
    const { ca, leaf } = makeServed('localhost')
    const { ca: other } = makeServed('unused')
    const port = await listening(
      t,
      createTlsServer({ cert: leaf.certificate, key: leaf.key }, (socket) => respond(socket, OK)),
    )
    const service = { url: `icaps://localhost:${port}/reqmod`, host: 'localhost', port, isTls: true }
    assert.equal(await hasOptions(service, ca.certificate), true)
    assert.equal(await hasOptions(service, other.certificate + ca.certificate), true)
    assert.equal(await hasOptions(service, other.certificate), false)
    assert.equal(await hasOptions(service, ''), false)
    assert.equal(await hasOptions({ ...service, host: '127.0.0.1' }, ca.certificate), false)
  })
})
