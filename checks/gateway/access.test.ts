// What may pass the proxy, and what may not: each access rule of deploy/proxy/squid.conf is attacked.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, isIPv6, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { PORTAL_HOST, type RequestOptions, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'
import { contains, endsOf, SPECIAL_NETWORKS } from './special-networks.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = [".casino.example", ".blocked-bank.example", "news.example/games"]
action = "block"
`
const SQUID_CONF = new URL('../../deploy/proxy/squid.conf', import.meta.url)
const NAMES = ['news.example', 'casino.example', 'my.bank.example', 'blocked-bank.example', 'internal.example']

describe('access', { skip: skipWithoutGateway, timeout: 180_000 }, async () => {
  const gateway = await startGateway(
    { after },
    {
      sites: { names: NAMES, reverse: 'my.bank.example' },
      policy: POLICY,
      published: {
        'exempt-hosts': '.bank.example\nblocked-bank.example\n',
        internal: '198.51.100.0/24\n2001:db8::/32\n',
      },
    },
  )
  const { request, connect: connectThrough, sites, portal } = gateway
  const portalPort = portal.https
  /** Whether Squid decrypted: the leaf is then issued by the proxy's CA. */
  const isDecrypted = (certificate: { readonly issuer: { readonly CN?: string | string[] } } | undefined) =>
    /Proxy CA/.test(String(certificate?.issuer.CN))
  /** The status of the CONNECT; or that inside, where Squid decrypts to show why it denies it. */
  const connectStatus = async (target: string, options: RequestOptions = {}) => {
    const { status, socket } = await connectThrough(target, options)
    try {
      if (status !== 200) return status
      const tls = connectTls({ socket, servername: PORTAL_HOST, rejectUnauthorized: false })
      await once(tls, 'secureConnect')
      assert.ok(isDecrypted(tls.getPeerCertificate(true)), `${target} is a tunnel`)
      tls.write(`GET / HTTP/1.1\r\nHost: ${target}\r\nConnection: close\r\n\r\n`)
      return Number((await text(tls)).split(' ')[1])
    } finally {
      socket.destroy()
    }
  }
  const assertDenied = async (url: string, options: RequestOptions = {}) => {
    const before = sites.received.length
    const { status, body } = await request(url, options)
    assert.equal(status, 403, url)
    assert.match(body, /The gateway doesn’t open this address/)
    assert.match(
      body,
      /<footer lang="en" translate="no">ERR_\w+ &middot; <bdi>[^<]*<\/bdi> &middot; \w+, \d\d \w+ \d{4} [^<]*<\/footer>/,
    )
    assert.equal(sites.received.length, before)
  }

  test('a path is decided as the origin would get it', async () => {
    for (const [target, expected] of [
      ['/games/a/../..', 400],
      ['/x/%2e%2e/games', 400],
      ['/games\\..', 400],
      ['/games;x/..;/a', 302],
      ['/x/..%2fgames', 302],
      ['/a//b;c%2f?/../d', 200],
    ] as const) {
      const { socket } = await connectThrough('news.example:443')
      const tls = connectTls({ socket, servername: 'news.example', rejectUnauthorized: false })
      await once(tls, 'secureConnect')
      tls.write(`GET ${target} HTTP/1.1\r\nHost: news.example\r\nConnection: close\r\n\r\n`)
      assert.match(await text(tls), new RegExp(`^HTTP/1.1 ${expected} `), target)
      const before = sites.received.length
      const { status, body } = await request(`http://news.example${target}`)
      assert.equal(status, expected, target)
      if (expected === 200) assert.equal(body, `GET ${target} 0`)
      else assert.equal(sites.received.length, before, target)
      if (expected === 400) assert.match(body, /The gateway can’t check this address/)
    }
  })

  test('allowed and stopped, plain and decrypted', async () => {
    for (const scheme of ['http', 'https']) {
      const allowed = await request(`${scheme}://news.example/page?a=b`)
      assert.deepEqual([allowed.status, allowed.body], [200, 'GET /page?a=b 0'])
      const stopped = await request(`${scheme}://casino.example/`)
      assert.equal(stopped.status, 302)
      assert.ok(stopped.headers.location?.startsWith(`https://${PORTAL_HOST}:${portalPort}/blocked?p=`))
      assert.equal(stopped.headers['cache-control'], 'no-store')
      assert.equal((await request(`${scheme}://casino.example/`, { method: 'POST', body: 'a' })).status, 303)
    }
    assert.ok(isDecrypted((await request('https://news.example/')).certificate))
  })

  test('a blocked host that does not exist gets its verdict', async () => {
    assert.equal((await request('https://gone.casino.example/')).status, 302)
    assert.equal((await request('http://gone.casino.example/')).status, 302)
  })

  test('what sites see of the visitor’s network', async () => {
    for (const scheme of ['http', 'https']) {
      const sent = { 'x-forwarded-for': '10.1.2.3', 'proxy-authorization': 'Basic YTpi' }
      const { body, headers } = await request(`${scheme}://news.example/?headers`, { headers: sent })
      const seen = JSON.parse(body)
      for (const name of ['via', 'x-forwarded-for', 'proxy-authorization']) assert.ok(!(name in seen), name)
      for (const name of ['via', 'x-cache', 'x-cache-lookup']) assert.ok(!(name in headers), name)
    }
  })

  test('a large upload', async () => {
    const body = Buffer.alloc(3_000_000, 'x')
    for (const scheme of ['http', 'https']) {
      const allowed = await request(`${scheme}://news.example/`, { method: 'POST', body })
      assert.equal(allowed.body, 'POST / 3000000')
      assert.equal((await request(`${scheme}://casino.example/`, { method: 'POST', body })).status, 303)
    }
  })

  test('WebSockets, plain, decrypted and in an exempt host’s tunnel; a rule that begins ends none of them', async (t) => {
    const handshake = (host: string, target = '/chat') =>
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
    const over = async (host: string) =>
      connectTls({
        socket: (await connectThrough(`${host}:443`)).socket,
        servername: host,
        ca: [gateway.rootCa(), sites.ca.certificate],
      })
    const connections = [
      [connect(gateway.port, '127.0.0.1'), handshake('news.example', 'http://news.example/chat')],
      [await over('news.example'), handshake('news.example')],
      [await over('my.bank.example'), handshake('my.bank.example')],
    ] as const
    const response = async (connection: Socket, written: string) => {
      connection.write(written)
      return String((await once(connection, 'data', { signal: AbortSignal.timeout(10_000) }))[0])
    }
    for (const [connection, written] of connections) {
      t.after(() => connection.destroy())
      assert.match(await response(connection, written), /^HTTP\/1.1 101 /)
      assert.equal(await response(connection, 'hello'), 'hello')
    }

    const isStopped = async () => (await request('http://news.example/')).status === 302
    t.after(async () => {
      gateway.engine.writePolicy(POLICY)
      await until(async () => !(await isStopped()))
    })
    gateway.engine.writePolicy(POLICY.replace('match = [', 'match = ["news.example", "my.bank.example", '))
    await until(isStopped)
    assert.equal((await request('https://news.example/')).status, 302)
    // No rule named it a second ago.
    await sleep(1_000)
    assert.equal(await connectStatus('my.bank.example:443'), 403)
    for (const [connection] of connections) assert.equal(await response(connection, 'again'), 'again')
  })

  describe('tunnels', () => {
    test('the portal is spliced, without a question to the engine', async () => {
      // The engine's log comes late.
      let before = -1
      await until(
        () => {
          const previous = before
          before = gateway.engine.decisions().length
          return before === previous
        },
        10,
        200,
      )
      const { body, certificate } = await request(`https://${PORTAL_HOST}:${portalPort}/healthz`)
      assert.equal(body, 'the portal: /healthz')
      assert.ok(!isDecrypted(certificate))
      assert.equal(gateway.engine.decisions().length, before)
    })

    test('its name in the handshake opens no tunnel to another target', async () => {
      const { status, certificate } = await request('https://casino.example/', {
        servername: PORTAL_HOST,
        ca: [gateway.rootCa()],
      }).catch(
        // The certificate that Squid made is for the target.
        (error) => ({ status: String(error), certificate: error.cert }),
      )
      assert.ok(status === 302 || /altname/i.test(String(status)), String(status))
      assert.ok(isDecrypted(certificate))
      assert.equal(await connectStatus(`127.0.0.1:${portalPort}`), 403)
      assert.equal(await connectStatus(`localhost:${portalPort}`), 403)
    })

    test('an exempt host’s name in the handshake neither', async () => {
      const { certificate } = await request('https://news.example/', { servername: 'my.bank.example' }).catch(
        (error) => ({
          certificate: error.cert,
        }),
      )
      assert.ok(isDecrypted(certificate))
    })

    test('the inner Host decides, not the tunnel’s target', async () => {
      const stopped = await request('https://news.example/', { headers: { host: 'casino.example' } })
      assert.ok([302, 400].includes(stopped.status))
      assert.ok(!sites.received.some(({ host }) => host === 'casino.example'))
      const inside = await request('https://news.example/', { headers: { host: '127.0.0.1' } })
      assert.equal(inside.status, 403)
      const port = await request('https://news.example/', { headers: { host: 'news.example:22' } })
      assert.equal(port.status, 403)
      const absolute = await request('https://news.example/', { headers: { host: `127.0.0.1:${portalPort}` } })
      assert.equal(absolute.status, 403)
    })

    test('an exempt host keeps its certificate, and the engine is asked about its CONNECT', async () => {
      const { certificate, status } = await request('https://my.bank.example/')
      assert.equal(status, 200)
      assert.equal(certificate?.fingerprint256, new X509Certificate(sites.leaf.certificate).fingerprint256)
      assert.equal(await connectStatus('blocked-bank.example:443'), 403)
    })

    test('an address is exempt by no name that it might resolve to', async () => {
      const { socket, status } = await connectThrough(`${sites.address}:443`)
      assert.equal(status, 200)
      const tls = connectTls({ socket, servername: 'my.bank.example', rejectUnauthorized: false })
      await once(tls, 'secureConnect')
      assert.ok(isDecrypted(tls.getPeerCertificate(true)))
      tls.destroy()
    })
  })

  describe('inside', () => {
    test('every special network, as an address and behind a name', async () => {
      const refused = SPECIAL_NETWORKS.filter(({ openBecause }) => openBecause === undefined)
      const addresses = [...new Set(refused.flatMap(({ network }) => endsOf(network)))]
      for (const [index, address] of addresses.entries()) {
        const host = isIPv6(address) ? `[${address}]` : address
        await assertDenied(`http://${host}:8080/`)
        assert.equal(await connectStatus(`${host}:443`), 403, host)
        sites.resolve(`to-${index}.example`, address)
        await assertDenied(`http://to-${index}.example:8080/`)
      }
      // So that no network of the configuration could be removed without a failure above.
      const [, list = ''] = /^acl reserved dst (.+)$/m.exec(readFileSync(SQUID_CONF, 'utf8')) ?? []
      const networks = list.split(' ')
      for (const network of networks) {
        const others = networks.filter((other) => other !== network)
        const isAttackedAlone = (address: string) =>
          contains(network, address) && !others.some((other) => contains(other, address))
        assert.ok(addresses.some(isAttackedAlone), `${network} is not attacked`)
      }
    })

    test('no spelling of an address reaches this machine', async (t) => {
      let connections = 0
      const inside = createServer((_, response) => response.end('inside'))
      inside.on('connection', () => connections++)
      inside.listen(0, '::')
      await once(inside, 'listening')
      t.after(() => inside.close())
      const { port } = inside.address() as AddressInfo
      for (const address of ['127.0.0.1', '::1', sites.machineAddress]) {
        const socket = connect(port, address)
        await once(socket, 'connect')
        socket.destroy()
      }
      await until(() => connections === 3)
      sites.resolve('to-loopback.example', '127.0.0.1')
      sites.resolve('to-loopback-6.example', '::1')
      sites.resolve('to-both.example', sites.address, '127.0.0.1')
      sites.resolve('to-metadata.example', '169.254.169.254')
      sites.resolve('to-machine.example', sites.machineAddress)
      for (const host of [
        ...['127.0.0.1', '127.9.9.9', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0'],
        ...['localhost', 'LOCALHOST', 'localhost.', '169.254.169.254', sites.machineAddress],
        ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]'],
        // IPv4 addresses within IPv6 ones: 127.0.0.1 and 169.254.169.254.
        ...['[64:ff9b::7f00:1]', '[64:ff9b:1::a9fe:a9fe]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[::7f00:1]'],
        ...['to-loopback.example', 'to-loopback-6.example', 'to-both.example'],
        ...['to-metadata.example', 'to-machine.example'],
      ]) {
        const { status, body } = await raw(`GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
        assert.equal(status, 403, host)
        assert.match(body, /The gateway doesn’t open this address/)
        assert.equal(await connectStatus(`${host}:443`), 403, host)
      }
      assert.equal(connections, 3)
      await assertDenied(`http://${sites.machineAddress}:${port}/`)
    })

    test('what the policy calls internal', async () => {
      sites.resolve('internal.example', '198.51.100.7')
      await assertDenied('http://198.51.100.7/')
      await assertDenied('http://internal.example/')
      await assertDenied('http://[2001:db8::1]/')
      assert.equal(await connectStatus('internal.example:443'), 403)
    })

    test('the portal’s host on other ports', async () => {
      assert.equal(await connectStatus(`${PORTAL_HOST}:443`), 403)
      await assertDenied(`http://${PORTAL_HOST}:${gateway.engine.icapPort}/`)
    })
  })

  test('ports', async () => {
    for (const port of [22, 25, 80, 8443, 65535])
      assert.equal(await connectStatus(`news.example:${port}`), 403, `${port}`)
    for (const port of [1, 22, 25, 110, 993]) await assertDenied(`http://news.example:${port}/`)
  })

  test('schemes', async () => {
    const before = sites.received.length
    for (const scheme of ['ftp', 'gopher', 'wais', 'whois', 'coap', 'ws']) {
      const { status } = await raw(`GET ${scheme}://news.example/ HTTP/1.1\r\nHost: news.example\r\n\r\n`)
      assert.ok([400, 403, 501].includes(status), `${scheme}: ${status}`)
    }
    const { status } = await raw('GET urn:isbn:0 HTTP/1.1\r\nHost: news.example\r\n\r\n')
    assert.ok([400, 403].includes(status), `${status}`)
    assert.equal(sites.received.length, before)
  })

  test('the cache manager', async () => {
    for (const target of [
      ...['cache_object://gateway/info', 'cache_object://localhost/', 'http://gateway/squid-internal-mgr/info'],
      ...['/squid-internal-mgr/info', `http://127.0.0.1:${gateway.port}/squid-internal-mgr/menu`],
    ]) {
      const { status, body } = await raw(`GET ${target} HTTP/1.1\r\nHost: gateway\r\n\r\n`)
      assert.ok([400, 403, 404].includes(status), `${target}: ${status}`)
      assert.doesNotMatch(body, /Connection information/)
    }
  })

  test('a client from another network', async () => {
    const from = '127.0.1.1'
    await assertDenied('http://news.example/', { from })
    assert.equal(await connectStatus('news.example:443', { from }), 403)
    assert.equal(await connectStatus('my.bank.example:443', { from }), 403)
    assert.equal(await connectStatus(`${PORTAL_HOST}:${portalPort}`, { from }), 403)
    assert.equal((await request('http://news.example/', { from: '127.0.0.9' })).status, 200)
  })

  /** Exactly these bytes. */
  async function raw(bytes: string): Promise<{ readonly status: number; readonly body: string }> {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(bytes.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    let received = ''
    for await (const chunk of socket) received += chunk
    return { status: Number(received.split(' ')[1]), body: received.split('\r\n\r\n').slice(1).join('\r\n\r\n') }
  }
})
