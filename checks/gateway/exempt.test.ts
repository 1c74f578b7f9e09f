// The tunnel to an exempt host: what apps send in it passes, and no name of another site does.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const PORT = 8443

describe('the tunnel to an exempt host', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['bank.example', 'my.bank.example', 'my.chat.example', 'news.example'] },
      published: { 'exempt-hosts': 'bank.example\nmy.bank.example\n.chat.example\n' },
      settings: { PROXY_CONNECT_PORTS: `${PORT} ${PORT + 1}`, PROXY_OPAQUE_HOSTS: '.chat.example' },
    },
  )
  const { connect, sites } = gateway
  const own = new X509Certificate(sites.leaf.certificate).fingerprint256

  /** @returns the certificate's fingerprint; undefined where the connection ends first */
  async function handshake(name: string): Promise<string | undefined> {
    const { status, socket } = await connect('bank.example:443')
    assert.equal(status, 200)
    const tls = connectTls({ socket, servername: name, rejectUnauthorized: false })
    try {
      await once(tls, 'secureConnect')
      return tls.getPeerCertificate().fingerprint256
    } catch {
      return undefined
    } finally {
      socket.destroy()
    }
  }

  test('is for the name of an exempt host in the handshake, or none', async () => {
    for (const name of ['bank.example', 'BANK.example', 'my.bank.example', '']) {
      assert.equal(await handshake(name), own, name)
    }
  })

  test('ends where the handshake names another site, before a byte reaches the address', async () => {
    const before = sites.handshakes.length
    for (const name of ['news.example', 'bank.example.news.example', '*.bank.example']) {
      assert.equal(await handshake(name), undefined, name)
    }
    assert.equal(sites.handshakes.length, before)
  })

  test('has any protocol where PROXY_OPAQUE_HOSTS names the host, even where the server speaks first', async () => {
    const server = await sites.listen(PORT)
    server.on('connection', (socket: Socket) => {
      socket.write('220 ready\r\n')
      socket.once('data', (bytes) => socket.end(`got ${bytes}`))
    })
    const { socket, body } = await connect(`my.chat.example:${PORT}`)
    let received = body
    socket.resume().on('data', (bytes) => {
      received += bytes
    })
    await until(() => received.endsWith('220 ready\r\n'))
    socket.write('WA\x06\x03 hello')
    await until(() => received.endsWith('got WA\x06\x03 hello'))
    server.close()
  })

  test('has no other protocol than TLS elsewhere', async () => {
    const server = await sites.listen(PORT + 1)
    let connections = 0
    server.on('connection', () => connections++)
    for (const words of ['WA\x06\x03 hello', 'GET / HTTP/1.1\r\nHost: news.example\r\n\r\n']) {
      const { socket } = await connect(`bank.example:${PORT + 1}`)
      socket.resume().write(words)
      await once(socket, 'close')
    }
    server.close()
    assert.equal(connections, 0)
  })
})
