// The control API waits for nobody: a handshake, head or body that does not arrive ends its connection after ten seconds.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { API_TOKEN, policy, startEngine } from '../running-engine.ts'

const HEAD = `POST /api/decision HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${API_TOKEN}\r\nContent-Type: application/json\r\n`
/** Ten seconds, of which the server looks once a second, and what a busy machine adds. */
const [LEAST_MS, MOST_MS] = [9_000, 20_000]

describe('limits of the control API', { concurrency: true, timeout: 40_000 }, async () => {
  const engine = await startEngine({ after }, policy(''))

  /** @returns what arrives until the connection ends */
  async function received(socket: Socket): Promise<string> {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    const startedAt = performance.now()
    await once(socket, 'close', { signal: AbortSignal.timeout(MOST_MS) })
    const milliseconds = performance.now() - startedAt
    assert.ok(milliseconds > LEAST_MS && milliseconds < MOST_MS, `closed after ${milliseconds.toFixed(0)} ms`)
    return text
  }

  for (const [what, bytes] of [
    ['a head', HEAD],
    ['a body', `${HEAD}Content-Length: 100\r\n\r\n{"url":`],
    ['a body in chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{"`],
  ] as const) {
    test(`${what} that does not end is 408`, async () => {
      const ca = readFileSync(join(engine.folder, 'ca/ca.crt'))
      const socket = connectTls({ port: engine.port, host: '127.0.0.1', ca })
      await once(socket, 'secureConnect')
      socket.write(bytes)
      assert.match(await received(socket), /^HTTP\/1\.1 408 Request Timeout\r\n.*\r\nConnection: close\r\n/s)
    })
  }

  test('a TLS handshake that does not end is cut off', async () => {
    assert.equal(await received(connect(engine.port, '127.0.0.1')), '')
  })
})
