// One read of a connection may hold two thousand requests. All of them were answered at once, and the answers kept for
// whoever took none: 64 KB from a client held 10 MB of the portal's memory, for as long as it liked, and fifty connections
// ended a container of 512 MB. Since the first version. Now a connection whose requests run far ahead of its answers ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startPortal } from '../support/portal.ts'
import { until } from '../support/until.ts'

const REQUEST = 'GET /privacy HTTP/1.1\r\nHost: a\r\n\r\n'

test('a client that sends two thousand requests at once and takes no answer', async (t) => {
  const portal = await startPortal(t)
  const socket = connect(portal.port, '127.0.0.1').pause()
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(REQUEST.repeat(2000))
  await until(() => portal.logged().length > 0 && portal.load().connections === 0)
  await until(() => portal.tally.inFlight === 0)
  assert.ok(portal.logged().length <= 17, `${portal.logged().length} were answered`)
  assert.equal((await portal.get('/privacy')).status, 200)
})

test('control: one that sends seventeen at once, again and again, gets every answer', async (t) => {
  const portal = await startPortal(t)
  const socket = connect(portal.port, '127.0.0.1')
  t.after(() => socket.destroy())
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  for (let round = 1; round <= 4; round++) {
    socket.write(REQUEST.repeat(17))
    await until(() => text.match(/^HTTP\/1\.1 200 OK/gm)?.length === round * 17 && text.trimEnd().endsWith('</html>'))
  }
})
