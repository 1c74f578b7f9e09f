// Seen: https://news.example:8443/ was 403 through the proxy, and no setting changed that. `Upgrade: WebSocket`, as some clients
// write it, got an ordinary response, because Squid compares the name byte by byte. Browsers open `ws://` by CONNECT to port 80, which
// was denied for exempt hosts, too. Since there is a proxy. Port 443, and `Upgrade: websocket`, were not affected.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutGateway, startGateway } from '../proxy/proxy.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = ["casino.example", "blocked-bank.example"]
action = "block"
`
const webSocket = (target: string, host: string, name = 'websocket') =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: ${name}\r\nConnection: Upgrade\r\n` +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'

describe('other ports, and WebSockets', { skip: skipWithoutGateway, timeout: 60_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: { names: ['news.example', 'casino.example', 'bank.example', 'blocked-bank.example'] },
      policy: POLICY,
      published: { 'exempt-hosts': 'bank.example\nblocked-bank.example\n' },
      settings: { PROXY_CONNECT_PORTS: '8443 444' },
    },
  )
  const { request, connect, sites } = gateway
  for (const port of [8443, 444]) {
    const { certificate: cert, key } = sites.leaf
    const server = createServer({ cert, key }, ({ url }, response) => response.end(`port ${port}: ${url}`))
    server.listen(await sites.listen(port))
    after(() => {
      server.closeAllConnections()
      server.close()
    })
  }

  /** What follows a CONNECT and these bytes, within a second. */
  async function sendThrough(target: string, text: string): Promise<string> {
    const { status, socket } = await connect(target)
    if (status !== 200) return String(status)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.resume()
    socket.write(text)
    await Promise.race([once(socket, 'data'), once(socket, 'close'), sleep(1000)])
    socket.destroy()
    return received
  }

  test('https on a port of PROXY_CONNECT_PORTS is decrypted and decided', async () => {
    for (const port of [8443, 444]) {
      const { body, certificate } = await request(`https://news.example:${port}/a`)
      assert.equal(body, `port ${port}: /a`)
      assert.match(String(certificate?.issuer.CN), /Proxy CA/)
      assert.equal((await request(`https://casino.example:${port}/`)).status, 302)
    }
    await assert.doesNotReject(request('https://bank.example:8443/', { ca: [sites.ca.certificate] }))
    assert.equal((await request('https://news.example:9443/')).status, 403)
  })

  test('what is not TLS is refused there', async () => {
    const before = sites.received.length
    for (const port of [443, 444, 8443]) {
      assert.doesNotMatch(await sendThrough(`news.example:${port}`, webSocket('/chat', 'news.example')), / 101 /)
    }
    assert.equal(sites.received.length, before)
  })

  test('a WebSocket without TLS, as browsers open it: only to exempt hosts, and decided', async () => {
    const open = (host: string) => sendThrough(`${host}:80`, webSocket('/chat', host))
    assert.match(await open('bank.example'), /^HTTP\/1.1 101 /)
    assert.doesNotMatch(await open('blocked-bank.example'), / 101 /)
    assert.doesNotMatch(await open('news.example'), / 101 /)
  })

  for (const name of ['WebSocket', 'WEBSOCKET', 'websocket']) {
    test(`Upgrade: ${name}${name === 'websocket' ? ', control' : ''}`, async () => {
      const socket = connectTcp(gateway.port, '127.0.0.1')
      socket.write(webSocket('http://news.example/chat', 'news.example', name))
      assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 101 /)
      socket.destroy()
    })
  }

  test('no other protocol is upgraded', async () => {
    for (const name of ['h2c', 'WebSocket, h2c', 'WebSocket\r\nUpgrade: h2c', 'xWebSocket', 'TLS/1.0']) {
      const socket = connectTcp(gateway.port, '127.0.0.1')
      socket.write(webSocket('http://news.example/chat', 'news.example', name))
      assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200 /, name)
      socket.destroy()
    }
  })

  test('control: port 443', async () => {
    assert.equal((await request('https://news.example/')).status, 200)
    assert.equal((await request('https://casino.example/')).status, 302)
  })
})
