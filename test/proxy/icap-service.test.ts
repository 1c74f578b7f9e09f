// Whether the engine's ICAP service responds: only its own 200 counts, and for `icaps://` only from a certificate that one of
// the given CAs has issued for the host.
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { hasOptions } from '../../src/proxy/icap-service.ts'
import { makeServed } from '../support/certificates.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

const OK = 'ICAP/1.0 200 OK\r\nMethods: REQMOD\r\nISTag: "a"\r\n\r\n'

const plain = (port: number) => ({ url: `icap://127.0.0.1:${port}/reqmod`, host: '127.0.0.1', port, isTls: false })
const quiet = (handle: (socket: Socket) => unknown) => (socket: Socket) => void handle(socket.on('error', () => {}))
const serve = (t: Cleanup, handle: (socket: Socket) => unknown) => listen(t, createServer(quiet(handle)))

test('200, in one piece or byte by byte', async (t) => {
  const received: string[] = []
  const port = await serve(t, (socket) =>
    socket.once('data', (data) => {
      received.push(`${data}`)
      socket.write(OK)
    }),
  )
  assert.equal(await hasOptions(plain(port), ''), true)
  assert.deepEqual(received, [`OPTIONS icap://127.0.0.1:${port}/reqmod ICAP/1.0\r\nHost: 127.0.0.1\r\n\r\n`])
  const slow = await serve(t, async (socket) => {
    socket.setNoDelay()
    for (const character of OK) {
      if (socket.destroyed) return
      await new Promise((resolve) => socket.write(character, resolve))
    }
  })
  assert.equal(await hasOptions(plain(slow), ''), true)
})

test('anything else: another status or protocol, an end before it, a line without an end, nobody', async (t) => {
  for (const response of ['ICAP/1.0 503 Busy\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(100_000)]) {
    const port = await serve(t, (socket) => socket.once('data', () => socket.write(response)))
    assert.equal(await hasOptions(plain(port), ''), false, response)
  }
  const ending = await serve(t, (socket) => socket.end('ICAP/1.0 '))
  for (const port of [ending, await freePort()]) assert.equal(await hasOptions(plain(port), ''), false)
})

test('a service that never responds: false after three seconds', async (t) => {
  const port = await serve(t, (socket) => t.after(() => socket.destroy()))
  const from = performance.now()
  assert.equal(await hasOptions(plain(port), ''), false)
  const seconds = (performance.now() - from) / 1000
  assert.ok(seconds > 2.5 && seconds < 6, `${seconds}`)
})

test('icaps://: verified with one of the CAs, for this host alone', { skip: skipWithoutOpenssl }, async (t) => {
  const { ca, leaf } = makeServed('localhost')
  const { ca: other } = makeServed('unused')
  const respond = quiet((socket) => socket.once('data', () => socket.write(OK)))
  const port = await listen(t, createTlsServer({ cert: leaf.certificate, key: leaf.key }, respond))
  const service = { url: `icaps://localhost:${port}/reqmod`, host: 'localhost', port, isTls: true }
  assert.equal(await hasOptions(service, ca.certificate), true)
  assert.equal(await hasOptions(service, other.certificate + ca.certificate), true)
  assert.equal(await hasOptions(service, other.certificate), false)
  assert.equal(await hasOptions(service, ''), false)
  assert.equal(await hasOptions({ ...service, host: '127.0.0.1' }, ca.certificate), false)
})
