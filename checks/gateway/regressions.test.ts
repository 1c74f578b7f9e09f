// Stories of the proxy that share one gateway; each suite is one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import type { Handler } from '../../test/proxy/sites.ts'
import { makeCertificate } from '../../test/support/certificates.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = ["casino.example"]
action = "block"
`
/** Reads nothing for a second, and then all of it. */
const slow: Handler = async (request, response) => {
  let bytes = 0
  try {
    await sleep(1_000)
    for await (const chunk of request) bytes += chunk.length
  } catch {
    // The proxy has closed the connection.
    return
  }
  response.end(`${bytes}`)
}

const LANGUAGES = ['en', 'fr', 'de', 'it']

describe('the proxy', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: {
        names: [
          ...['news.example', 'casino.example', 'bank.example', 'slow.example'],
          ...['headers.example', 'card.example', 'exempt-card.example'],
        ],
        handlers: {
          'headers.example': (_, response) => response.writeHead(200, { 'x-long': 'a'.repeat(100_000) }).end(),
          'slow.example': slow,
        },
      },
      policy: POLICY,
      published: { 'exempt-hosts': 'bank.example\nexempt-card.example\n' },
      settings: { PROXY_CONNECT_PORTS: '444 8442 8443 8444' },
    },
  )
  const { request, connect, sites } = gateway
  const { certificate: cert, key } = sites.leaf

  // Seen: https://news.example:8443/ was 403 through the proxy, and no setting changed that. `Upgrade: WebSocket`, as some clients
  // write it, got an ordinary response, because Squid compares the name byte by byte. Since there is a proxy. Port 443, and
  // `Upgrade: websocket`, were not affected.
  describe('other ports, and WebSockets', async () => {
    for (const port of [8443, 444]) {
      const server = createServer({ cert, key }, ({ url }, response) => response.end(`port ${port}: ${url}`))
      server.listen(await sites.listen(port))
      after(() => {
        server.closeAllConnections()
        server.close()
      })
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

    /** The status of the response to a handshake for a protocol. */
    async function upgrade(name: string): Promise<string> {
      const socket = connectTcp(gateway.port, '127.0.0.1')
      socket.write(
        `GET http://news.example/chat HTTP/1.1\r\nHost: news.example\r\nUpgrade: ${name}\r\nConnection: Upgrade\r\n` +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      )
      const [received] = await once(socket, 'data')
      socket.destroy()
      return String(received).slice(0, 12)
    }

    test('the name of the protocol in any case; no other protocol is upgraded', async () => {
      for (const name of ['WebSocket', 'WEBSOCKET', 'websocket'])
        assert.equal(await upgrade(name), 'HTTP/1.1 101', name)
      for (const name of ['h2c', 'WebSocket, h2c', 'WebSocket\r\nUpgrade: h2c', 'xWebSocket', 'TLS/1.0']) {
        assert.equal(await upgrade(name), 'HTTP/1.1 200', name)
      }
    })
  })

  // Seen by reading: anyone who reached the proxy's port, also from a network that PROXY_CLIENTS does not name, had it look up any name:
  // the rule about internal addresses, which needs them, came before the one about clients. Since there is a proxy.
  test('strangers cause no DNS query, clients do', async () => {
    const from = '127.0.1.1'
    const { status, body } = await request('http://stranger.example/', { from })
    assert.equal(status, 403)
    assert.match(body, /The gateway doesn’t open this address/)
    assert.match(body, /<strong>stranger\.example<\/strong>/)
    assert.match(body, /<footer [^>]*>Code: ERR_ACCESS_DENIED &middot; <time>\w+, \d\d \w+ \d{4} /)
    for (const port of [443, 80, 25]) (await connect(`stranger.example:${port}`, { from })).socket.destroy()
    await request('http://stranger.example:22/', { from })
    assert.ok(!sites.queries.includes('stranger.example'))
    assert.equal((await request('http://client.example/')).status, 503)
    assert.ok(sites.queries.includes('client.example'))
  })

  // An upload of more than half a megabyte was cut off where the site read it more slowly than the visitor sent it: Squid before
  // 6.13 takes its own full buffer for the end of the connection (bug 5405). Since the first version of the proxy; found by a test
  // that failed on a busy machine.
  test('a site that reads slowly gets the whole upload', async () => {
    const body = Buffer.alloc(20_000_000, 'x')
    const uploads = ['http', 'https', 'http', 'https'].map(async (scheme) => {
      const { status, body: received } = await request(`${scheme}://slow.example/`, { method: 'POST', body })
      assert.deepEqual([status, received], [200, '20000000'])
    })
    await Promise.all(uploads)
  })

  // Seen: an address of 9,000 characters, or 70 KB of cookies, got Squid's own page, in English, which names other causes ("missing URL",
  // "access restrictions"). A host with a label of 64 characters got nothing: Squid waited for its address forever. Since there is a
  // proxy. What the table of our pages named was not affected.
  describe('pages of Squid’s errors', async () => {
    for (const [port, maxVersion] of [
      [8442, 'TLSv1.2'],
      [8444, 'TLSv1.3'],
    ] as const) {
      const trusted = { ca: sites.ca.certificate, requestCert: true, maxVersion }
      const server = createServer({ cert, key, ...trusted }, (_, response) => response.end('signed in'))
      server.listen(await sites.listen(port))
      after(() => server.close())
    }

    const languagesOf = (page: string) =>
      Array.from(page.matchAll(/<section lang="(..)">/g), ([, language]) => language)

    /** @returns the response's status and the page's English heading, once it is in every language */
    async function shown(head: string): Promise<string> {
      const socket = connectTcp(gateway.port, '127.0.0.1')
      socket.setTimeout(10_000, () => socket.destroy(new Error('no response')))
      socket.on('error', () => {})
      socket.write(`${head}Connection: close\r\n\r\n`)
      const page = await text(socket)
      assert.deepEqual(languagesOf(page), LANGUAGES)
      return `${page.split(' ')[1]} ${/<h1>(.*)<\/h1>/.exec(page)?.[1]}`
    }
    const get = (target: string, fields = '') => `GET ${target} HTTP/1.1\r\nHost: ${new URL(target).host}\r\n${fields}`
    const page = `http://news.example/`

    const gzip = `POST ${page} HTTP/1.1\r\nHost: news.example\r\nTransfer-Encoding: gzip\r\n`
    const noPort = 'GET http://news.example:0/ HTTP/1.1\r\nHost: news.example\r\n'

    test('each has ours', async () => {
      for (const [name, head, expected] of [
        ['a long address', get(`${page}${'a'.repeat(8_200)}`), '400 The gateway can’t open this address'],
        ['a far too long one', get(`${page}${'a'.repeat(80_000)}`), '414 The gateway can’t load this page'],
        ['cookies', get(page, `Cookie: ${'a'.repeat(70_000)}\r\n`), '431 The gateway can’t load this page'],
        ['many headers in a response', get('http://headers.example/'), '502 The gateway can’t load this page'],
        ['no such port', noPort, '400 The gateway can’t open this address'],
        ['a long label', get(`http://${'a'.repeat(64)}.example/`), '400 The gateway can’t open this address'],
        ['a long name', get(`http://${'a.'.repeat(130)}example/`), '400 The gateway can’t open this address'],
        ['another version', `GET ${page} HTTP/2.0\r\n`, '505 The gateway doesn’t understand this request'],
        ['no HTTP', 'SSH-2.0-client\r\n', '400 The gateway doesn’t understand this request'],
        ['an unknown encoding', gzip, '501 The gateway doesn’t understand this request'],
        ['only a copy', get(page, 'Cache-Control: only-if-cached\r\n'), '504 The gateway keeps no copies'],
        ['no such name', get('http://unknown.example/'), '503 This site wasn’t found'],
        ['no response', get('http://news.example:8080/'), '503 This site isn’t responding'],
        ['control', get('http://127.0.0.1/'), '403 The gateway doesn’t open this address'],
      ] as const) {
        assert.equal(await shown(head), expected, name)
      }
    })

    test('a site that requires a certificate from the device: the page says so, and exempt it opens', async () => {
      const { ca } = sites
      const now = Math.floor(Date.now() / 1000)
      const extensions = ['basicConstraints=CA:FALSE', 'extendedKeyUsage=clientAuth']
      const validity = { notBefore: now - 60, notAfter: now + 3600 }
      const card = makeCertificate({ ...validity, subject: '/CN=alice', issuer: ca, extensions })
      for (const port of [8442, 8444]) {
        const { status, body } = await request(`https://card.example:${port}/`)
        assert.ok([502, 503].includes(status))
        assert.match(body, /a certificate from your device/)
        assert.match(body, /ein Zertifikat Ihres Geräts/)
        const { status: connected, socket } = await connect(`exempt-card.example:${port}`)
        assert.equal(connected, 200)
        const own = { cert: card.certificate, key: card.key, ca: ca.certificate }
        const tls = connectTls({ socket, servername: 'exempt-card.example', ...own })
        tls.write('GET / HTTP/1.1\r\nHost: exempt-card.example\r\nConnection: close\r\n\r\n')
        assert.match(await text(tls), /signed in/)
      }
    })

    test('no page of Squid’s is left', () => {
      const folder = join(gateway.run, 'errors')
      const names = readdirSync(folder).filter((name) => name.startsWith('ERR_'))
      assert.ok(names.length > 30)
      for (const name of names) assert.deepEqual(languagesOf(readFileSync(join(folder, name), 'utf8')), LANGUAGES, name)
    })

    test('control: an address of 8,000 characters is opened', async () => {
      assert.equal((await request(`${page}${'a'.repeat(8_000 - page.length)}`)).status, 200)
      assert.equal((await request(`http://${'a'.repeat(63)}.example/`)).status, 503)
    })
  })
})
