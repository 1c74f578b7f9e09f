// The event loop accepts one connection per iteration, and handled all requests that had arrived in between. With a few
// hundred connections that sent the next request at once, a new visitor waited seconds to be accepted, out of reach of
// any limit.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { until } from '../support/until.ts'

const REQUEST = `GET ${verdictTarget(claims(NOW))} HTTP/1.1\r\nHost: a\r\n\r\n`
const BUSY = 300
const NEW = 100

test('a hundred new connections get a response while three hundred keep sending', async (t) => {
  const portal = await startPortal(t)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const send = async () => {
    const socket = connect(portal.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(REQUEST)
    await once(socket, 'data')
    return socket
  }
  for (let count = 0; count < BUSY; count++) {
    void send().then((socket) => {
      socket.on('data', (bytes) => bytes.includes('</html>') && socket.write(REQUEST))
      socket.write(REQUEST)
    })
  }
  await until(() => portal.connections() === BUSY)

  const answered = portal.logged().length
  const rounds = await Promise.all(Array.from({ length: NEW }, send))
  assert.equal(rounds.length, NEW)
  const meanwhile = portal.logged().length - answered
  // Accepted one by one behind all the others, each would wait for three hundred responses.
  assert.ok(meanwhile < NEW * 20, `${meanwhile} responses were sent before all new connections had one`)
})
