// One CONNECT whose sender reset the connection at once ended the portal: Node passes on the socket of a tunnel without
// its own error handler, the response failed, and an unhandled error event ends the process. Anyone who reached the
// port could repeat that faster than the portal restarts. Since the first version.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startPortalProcess } from '../support/portal-process.ts'

/** Sends this and resets the connection before a response is possible. */
async function sendAndReset(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  // The portal was faster.
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text, () => socket.resetAndDestroy())
  await once(socket, 'close')
}

const portal = startPortalProcess({ after }, {})
const HEAD = ' HTTP/1.1\r\nHost: a\r\n'
for (const [name, text] of Object.entries({
  'a tunnel': `CONNECT a:443${HEAD}\r\n`,
  'a tunnel, and more data': `CONNECT a:443${HEAD}\r\n${'x'.repeat(1000)}`,
  'control: another protocol': `GET /privacy${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'control: no HTTP at all': '\x16\x03\x01\r\n\r\n',
  'control: a page': `GET /privacy${HEAD}\r\n`,
})) {
  test(`${name}, then a reset: the portal survives`, async () => {
    const address = await portal.listening
    // Some requests arrive only after their reset.
    for (let count = 0; count < 30; count++) await sendAndReset(Number(new URL(address).port), text)
    assert.equal((await fetch(`${address}/healthz`)).status, 200)
  })
}
