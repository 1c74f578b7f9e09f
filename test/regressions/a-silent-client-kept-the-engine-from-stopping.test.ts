// A client that connected to the control API and sent no TLS handshake stayed connected, and the engine did not stop
// before it was killed: when the time for the handshake was over, the 400 that the listener wrote waited for the end of that
// handshake, and Node's `closeAllConnections` knows only connections that have completed it. An ICAP listener with TLS kept
// such clients until it stopped: Node reports that their time is over, and leaves it to the listener to close them. Since 2026.48.0.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { startControlServer } from '../../src/engine/control-api/server.ts'
import { startIcap } from '../engine/icap/running-icap.ts'
import { makeServed } from '../support/certificates.ts'
import type { Cleanup } from '../support/cleanup.ts'

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

/** A client that sends nothing. */
async function silentClient(t: Cleanup, port: number) {
  const socket = connect(port, '127.0.0.1')
  t.after(async () => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('the control API stops although a client never completes its handshake', async (t) => {
  const { port, stop } = await startControl({ stopMs: 100 })
  const client = await silentClient(t, port)
  const closed = once(client, 'close', patience())
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
