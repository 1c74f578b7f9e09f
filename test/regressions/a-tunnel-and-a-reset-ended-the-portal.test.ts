// One CONNECT whose sender reset the connection at once ended the portal: Node hands the socket of a tunnel over without
// its own error handler, the answer to it failed, and an error that nobody hears ends the process. Anyone who reached the
// port could do that with one packet after the other, faster than it starts again. Since the first version.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startPortalProcess } from '../support/portal-process.ts'

/** Says this, and takes the connection away before there can be an answer. */
async function sayAndReset(port: number, text: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  // Where the portal was quicker.
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text, () => socket.resetAndDestroy())
  await once(socket, 'close')
}

const HEAD = ' HTTP/1.1\r\nHost: a\r\n'
for (const [name, text] of Object.entries({
  'a tunnel': `CONNECT a:443${HEAD}\r\n`,
  'a tunnel, and more behind it': `CONNECT a:443${HEAD}\r\n${'x'.repeat(1000)}`,
  'control: another protocol': `GET /privacy${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  'control: no HTTP at all': '\x16\x03\x01\r\n\r\n',
  'control: a page': `GET /privacy${HEAD}\r\n`,
})) {
  test(`${name}, and its sender is gone: the portal lives`, async (t) => {
    const portal = startPortalProcess(t, {})
    const address = await portal.listening
    // Not every one comes before its reset.
    for (let count = 0; count < 30; count++) await sayAndReset(Number(new URL(address).port), text)
    assert.equal((await fetch(`${address}/healthz`)).status, 200)
  })
}
