// What may pass the proxy, and what may not: each access rule of deploy/proxy/squid.conf is attacked. checks/bypass/ attacks the
// engine's decision.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, isIPv6 } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { PORTAL_HOST, type RequestOptions, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const POLICY = `
[[rules]]
name = "gambling"
match = [".casino.example", ".blocked-bank.example", "news.example/games"]
action = "block"
[audit]
allowed = true
hosts = true
`
const SQUID_CONF = new URL('../../deploy/proxy/squid.conf', import.meta.url)
/**
 * The first and the last address of each network that is always refused. Of IANA's other networks for special purposes (RFC 6890),
 * nothing is reachable in some, and the organisation may have sites in the private ones: `[gateway] internal` is for those.
 */
const RESERVED: Readonly<Record<string, readonly [first: string, last: string]>> = {
  '0.0.0.0/8': ['0.0.0.0', '0.255.255.255'],
  '127.0.0.0/8': ['127.0.0.0', '127.255.255.255'],
  '169.254.0.0/16': ['169.254.0.0', '169.254.255.255'],
  '224.0.0.0/3': ['224.0.0.0', '255.255.255.255'],
  '::/96': ['::', '::ffff:ffff'],
  '64:ff9b::/96': ['64:ff9b::', '64:ff9b::ffff:ffff'],
  '64:ff9b:1::/48': ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  '2002::/16': ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fe80::/10': ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'ff00::/8': ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
}
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
      /<footer lang="en" translate="no">Code: ERR_\w+ &middot; <time>\w+, \d\d \w+ \d{4} [^<]*<\/time><\/footer>/,
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
      const body = Buffer.alloc(3_000_000, 'x')
      assert.equal((await request(`${scheme}://casino.example/`, { method: 'POST', body })).status, 303)
      assert.equal((await request(`${scheme}://gone.casino.example/`)).status, 302, 'a host that does not exist')
    }
    assert.ok(isDecrypted((await request('https://news.example/')).certificate))
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

  describe('tunnels', () => {
    test('the portal is spliced, without a question to the engine', async () => {
      const asked = (name: string) => gateway.engine.decisions().filter(({ host }) => host === name).length
      const { body, certificate } = await request(`https://${PORTAL_HOST}:${portalPort}/healthz`)
      assert.equal(body, 'the portal: /healthz')
      assert.ok(!isDecrypted(certificate))
      // Nothing listens there.
      assert.equal((await request(`http://${PORTAL_HOST}:${portal.http}/`)).status, 503)
      // The log comes late, and in order.
      await request('http://after.casino.example/')
      await until(() => asked('after.casino.example') === 1)
      assert.equal(asked(PORTAL_HOST), 0)
    })

    test('a name in the handshake opens no tunnel to another target', async () => {
      for (const servername of [PORTAL_HOST, 'my.bank.example']) {
        const { certificate } = await request('https://news.example/', { servername, ca: [gateway.rootCa()] }).catch(
          // Squid has made one for the target.
          (error) => ({ certificate: error.cert }),
        )
        assert.ok(isDecrypted(certificate), servername)
      }
      for (const host of ['127.0.0.1', 'localhost']) assert.equal(await connectStatus(`${host}:${portalPort}`), 403)
    })

    test('the inner Host has the rules of any other', async () => {
      for (const host of ['127.0.0.1', 'news.example:22', `127.0.0.1:${portalPort}`]) {
        assert.equal((await request('https://news.example/', { headers: { host } })).status, 403, host)
      }
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
    test('every reserved network, as an address and behind a name', async () => {
      const [, networks = ''] = /^acl reserved dst (.+)$/m.exec(readFileSync(SQUID_CONF, 'utf8')) ?? []
      assert.deepEqual(networks.split(' '), Object.keys(RESERVED))
      for (const [index, address] of Object.values(RESERVED).flat().entries()) {
        const host = isIPv6(address) ? `[${address}]` : address
        await assertDenied(`http://${host}:8080/`)
        assert.equal(await connectStatus(`${host}:443`), 403, host)
        sites.resolve(`to-${index}.example`, address)
        await assertDenied(`http://to-${index}.example:8080/`)
      }
    })

    test('no spelling of an address reaches this machine', async (t) => {
      let connections = 0
      const inside = createServer((_, response) => response.end('inside'))
      inside.on('connection', () => connections++)
      const port = await listen(t, inside, '::')
      for (const address of ['127.0.0.1', '::1', sites.machineAddress]) {
        const socket = connect(port, address)
        await once(socket, 'connect')
        socket.destroy()
      }
      await until(() => connections === 3)
      sites.resolve('to-both.example', sites.address, '127.0.0.1')
      sites.resolve('to-machine.example', sites.machineAddress)
      for (const host of [
        ...['127.0.0.1', '127.9.9.9', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0'],
        ...['localhost', 'LOCALHOST', 'localhost.', '169.254.169.254', sites.machineAddress],
        ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]'],
        // IPv4 addresses within IPv6 ones: 127.0.0.1 and 169.254.169.254.
        ...['[64:ff9b::7f00:1]', '[64:ff9b:1::a9fe:a9fe]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[::7f00:1]'],
        ...['to-both.example', 'to-machine.example'],
      ]) {
        const { status, body } = await raw(`GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
        assert.equal(status, 403, host)
        assert.match(body, /The gateway doesn’t open this address/)
        assert.equal(await connectStatus(`${host}:443`), 403, host)
      }
      assert.equal(connections, 3)
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
