// The event loop accepts one connection each time round, and answered everything that had come in between. With a few
// hundred connections that asked again at once, a new visitor waited for seconds to be let in, where no limit saw it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { claims, verdictTarget } from '../support/payloads.ts'
import { NOW, startPortal } from '../support/portal.ts'
import { until } from '../support/until.ts'

const REQUEST = `GET ${verdictTarget(claims(NOW))} HTTP/1.1\r\nHost: a\r\n\r\n`
const ASK_AGAIN = 300
const NEW = 100

test('a hundred who are new are answered while three hundred ask again and again', async (t) => {
  const portal = await startPortal(t)
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const ask = async () => {
    const socket = connect(portal.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(REQUEST)
    await once(socket, 'data')
    return socket
  }
  for (let count = 0; count < ASK_AGAIN; count++) {
    void ask().then((socket) => {
      socket.on('data', (bytes) => bytes.includes('</html>') && socket.write(REQUEST))
      socket.write(REQUEST)
    })
  }
  await until(() => portal.connections() === ASK_AGAIN)

  const answered = portal.logged().length
  const rounds = await Promise.all(Array.from({ length: NEW }, ask))
  assert.equal(rounds.length, NEW)
  const meanwhile = portal.logged().length - answered
  // Let in one by one behind all the others, it would be three hundred for each.
  assert.ok(meanwhile < NEW * 20, `${meanwhile} answers went out until all of them had one`)
})
