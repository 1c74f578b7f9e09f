// Transparent interception as docs/proxy-clients.md describes it, with its rules and settings as they stand there: a client, the
// gateway, web sites and the portal, each in a network namespace.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { PORTAL_HOST, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { INSIDE, redirectDevices, TRANSPARENT_PORTS } from '../../test/proxy/redirection.ts'
import { startSites } from '../../test/proxy/sites.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { until } from '../../test/support/until.ts'

const skip =
  skipWithoutGateway ||
  skipUnless(hasCommand('nft'), 'needs nft: apt-get install nftables') ||
  skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl')

if (!skip) continueInNetworkNamespace(import.meta.filename)

const NAMES = [
  ...['news.example', 'casino.example', 'bank.example', 'blocked-bank.example'],
  ...['rejected-0.example', 'rejected-1.example'],
]
const POLICY = `
[captive_portal]
hostnames = ["portal.other.example", "localhost"]

[[rules]]
name = "gambling"
match = ["casino.example", "blocked-bank.example"]
action = "block"

[inspection]
exempt = ["bank.example", "blocked-bank.example"]
exempt_defaults = false

[audit]
allowed = true
hosts = true
`
describe('transparent interception', { skip, timeout: 120_000 }, async () => {
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000, stdio: 'pipe' })
  const cleanup = { after }
  const portal = await startSites(cleanup, {
    names: [PORTAL_HOST],
    // Shows who connects.
    handlers: { [PORTAL_HOST]: ({ socket }, response) => response.end(`portal, for ${socket.remoteAddress}`) },
    ipv6: true,
  })
  const { namespace, nft } = redirectDevices(cleanup, portal)

  const gateway = await startGateway(cleanup, {
    sites: { names: NAMES, ipv6: true },
    policy: POLICY,
    published: 'engine',
    directives: 'negative_dns_ttl 1 second\npositive_dns_ttl 1 second',
    portal: { http: 80, https: 443 },
    settings: { ...TRANSPARENT_PORTS, PROXY_CLIENTS: '127.0.0.0/8 10.77.0.0/24 fd00:77::/64' },
  })
  const { sites, engine } = gateway
  for (const name of NAMES) sites.resolve(name, sites.address, sites.address6)
  sites.resolve(PORTAL_HOST, portal.address, portal.address6)
  // Otherwise nothing that the gateway forwards could have an answer.
  for (const { namespace: there, machineAddress, address6 } of [sites, portal]) {
    ip('-n', there, 'route', 'add', 'default', 'via', machineAddress)
    ip('-n', there, 'route', 'add', 'default', 'via', address6.replace(/2$/, '1'))
  }
  const families = [
    { family: 'IPv4', at: sites.address, index: 0 },
    { family: 'IPv6', at: `[${sites.address6}]`, index: 1 },
  ] as const

  const run = async (command: readonly string[]) => {
    const child = spawn('ip', ['netns', 'exec', namespace, ...command], { timeout: 30_000 })
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { output, errors }
  }
  /** Connects to `at`, whatever the name resolves to. @returns status 0 without a response */
  async function get(url: string, at: string, ...parameters: readonly string[]) {
    const words = ['-svk', '-m', '10', '-w', '\n%{http_code}', '--connect-to', `::${at}:`, ...parameters, url]
    const { output, errors } = await run(['curl', ...words])
    const lines = output.split('\n')
    return {
      status: Number(lines.pop()),
      body: lines.join('\n'),
      issuer: /issuer: (.*)/.exec(errors)?.[1] ?? '',
      location: /^< location: (.*)$/im.exec(errors)?.[1] ?? '',
    }
  }
  /** @returns `connected` (TCP only), a code such as ECONNREFUSED, or `nothing` after a second */
  async function dial(protocol: 'tcp' | 'udp', at: string, port: number): Promise<string> {
    const host = at.replace(/[[\]]/g, '')
    const open =
      protocol === 'tcp'
        ? `const socket = require('net').connect(${port}, '${host}', () => say('connected'))`
        : `const socket = require('dgram').createSocket('${host.includes(':') ? 'udp6' : 'udp4'}')
           socket.connect(${port}, '${host}', () => socket.send('one'))`
    const program = `const say = (what) => { process.stdout.write(what); process.exit() }
      ${open}
      socket.on('error', ({ code }) => say(code))
      setTimeout(() => say('nothing'), 1000)`
    return (await run([process.execPath, '-e', program])).output
  }
  /** @returns what is received within three seconds, or until the end */
  async function exchange(at: string, port: number, sent: string): Promise<string> {
    const program = `const socket = require('net').connect(${port}, ${JSON.stringify(at.replace(/[[\]]/g, ''))})
      socket.on('error', () => process.exit()).on('close', () => process.exit()).pipe(process.stdout)
      socket.write(${JSON.stringify(sent)})
      setTimeout(() => process.exit(), 3000)`
    return (await run([process.execPath, '-e', program])).output
  }
  /** Hosts that the engine has been asked about from now on. */
  function decided() {
    const from = engine.decisions().length
    return () =>
      engine
        .decisions()
        .slice(from)
        .map(({ host }) => host)
  }
  /** That nothing reaches a site in the meantime. */
  async function reachesNoSite(attempt: () => Promise<unknown>) {
    const [requests, handshakes] = [sites.received.length, sites.handshakes.length]
    await attempt()
    assert.deepEqual(sites.received.slice(requests), [])
    return sites.handshakes.slice(handshakes)
  }

  for (const { family, at, index } of families) {
    test(`${family}: plain http and https are decided`, async () => {
      for (const scheme of ['http', 'https']) {
        const hosts = decided()
        const { status, issuer } = await get(`${scheme}://news.example/`, at)
        assert.equal(status, 200)
        assert.match(issuer, scheme === 'https' ? /Proxy CA/ : /^$/)
        await until(() => hosts().includes('news.example'))
        await reachesNoSite(async () => {
          const stopped = await get(`${scheme}://casino.example/`, at)
          assert.equal(stopped.status, 302)
          assert.match(stopped.location, /^https:\/\/portal\.example\/blocked\?p=/)
        })
      }
    })

    test(`${family}: a client that rejects the certificate is counted by the name in the handshake`, async () => {
      const name = `rejected-${index}.example`
      const { output } = await run(['curl', '-s', '-m', '10', '--connect-to', `::${at}:`, `https://${name}/`])
      assert.equal(output, '')
      const { status } = await get('https://news.example/', at)
      assert.equal(status, 200)
      const file = join(gateway.run, 'handshakes.json')
      const hosts = (): { host: string }[] => JSON.parse(readFileSync(file, 'utf8')).hosts
      await until(() => hosts().some(({ host }) => host === name), 20)
      const { last_at, ...counts } = hosts().find(({ host }) => host === name) as { host: string; last_at: string }
      assert.deepEqual(counts, { host: name, broke_off: 1, silent: 0, trusting: 1, used: false })
    })

    test(`${family}: an exempt host keeps its certificate, and is decided by name`, async () => {
      const hosts = decided()
      const { status, issuer } = await get('https://bank.example/', at)
      assert.equal(status, 200)
      assert.match(issuer, /CA of the sites/)
      await until(() => hosts().includes('bank.example'))
      await reachesNoSite(async () => assert.equal((await get('https://blocked-bank.example/', at)).status, 0))
    })

    test(`${family}: the portal is reached directly`, async () => {
      const there = index === 0 ? portal.address : `[${portal.address6}]`
      for (const scheme of ['http', 'https']) {
        const { status, body, issuer } = await get(`${scheme}://${PORTAL_HOST}/`, there)
        assert.equal(status, 200)
        assert.match(body, new RegExp(`portal, for (::ffff:)?${INSIDE.client[index]}$`))
        assert.doesNotMatch(issuer, /Proxy CA/)
      }
    })

    test(`${family}: QUIC and encrypted DNS are refused, not forwarded`, async (t) => {
      const arrived: unknown[] = []
      const host = at.replace(/[[\]]/g, '')
      const program = `for (const port of [443, 853]) require('dgram').createSocket('${index === 0 ? 'udp4' : 'udp6'}')
        .on('message', () => process.send('packet')).bind(port, '${host}', () => process.send('ready'))
        require('net').createServer(() => process.send('connection')).listen(853, '${host}', () => process.send('ready'))`
      const words = ['netns', 'exec', sites.namespace, process.execPath, '-e', program]
      const receiver = spawn('ip', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      t.after(() => receiver.kill('SIGKILL'))
      receiver.on('message', (message) => arrived.push(message))
      await until(() => arrived.length === 3, 20)
      for (const port of [443, 853]) assert.equal(await dial('udp', at, port), 'ECONNREFUSED')
      assert.equal(await dial('tcp', at, 853), 'ECONNREFUSED')
      assert.deepEqual(arrived, ['ready', 'ready', 'ready'])
    })

    test(`${family}: the name of the portal opens no other address`, async () => {
      await reachesNoSite(async () => {
        const hosts = [PORTAL_HOST, `${PORTAL_HOST}.`, 'PORTAL.example', 'PORTAL.EXAMPLE.']
        for (const host of [...hosts, ...[80, 443, 8080].map((port) => `${PORTAL_HOST}:${port}`)]) {
          assert.equal((await get('http://news.example/', at, '-H', `Host: ${host}`)).status, 403)
        }
        for (const host of ['portal.other.example', 'localhost', 'localhost:8080']) {
          assert.equal((await get('http://news.example/', at, '-H', `Host: ${host}`)).status, 403, host)
        }
        const absolute = ['--request-target', `http://${PORTAL_HOST}/`]
        assert.equal((await get('http://news.example/', at, ...absolute)).status, 403)
      })
      const handshakes = await reachesNoSite(async () => {
        assert.notEqual((await get(`https://${PORTAL_HOST}/`, at)).status, 200)
      })
      assert.deepEqual(handshakes, [])
    })

    test(`${family}: the portal's name within the connection of a stopped site opens nothing`, async () => {
      await reachesNoSite(async () => {
        assert.notEqual((await get('https://casino.example/', at, '-H', `Host: ${PORTAL_HOST}`)).status, 200)
      })
    })

    test(`${family}: nor does that of an allowed site`, async () => {
      await reachesNoSite(async () => {
        assert.equal((await get('https://casino.example/', at, '-H', 'Host: news.example')).status, 421)
      })
    })

    test(`${family}: a CONNECT in plain http is no tunnel, with any Host or none`, async () => {
      await reachesNoSite(async () => {
        for (const host of ['', 'Host: news.example\r\n', 'Host: news.example:80\r\n', 'Host: news.example:443\r\n']) {
          const sent = `CONNECT news.example:443 HTTP/1.1\r\n${host}\r\nGET / HTTP/1.1\r\nHost: casino.example\r\n\r\n`
          assert.match(await exchange(at, 80, sent), /^HTTP\/1\.1 4\d\d /, host)
        }
      })
    })

    test(`${family}: plain http with the name of an exempt or internal host is decided`, async () => {
      const hosts = decided()
      await reachesNoSite(async () => {
        assert.equal((await get('http://news.example/', at, '-H', 'Host: blocked-bank.example')).status, 302)
      })
      await get('http://127.0.0.1/', at)
      await until(() => hosts().includes('127.0.0.1'))
    })

    test(`${family}: the proxy's own ports refuse connections, and continue to work`, async () => {
      for (const port of Object.values(TRANSPARENT_PORTS)) {
        assert.equal(await dial('tcp', INSIDE.machine[index], Number(port)), 'ECONNREFUSED')
      }
      assert.equal((await get('http://news.example/', at)).status, 200)
    })
  }

  test('the name of an exempt host at another address is no tunnel', async () => {
    sites.resolve('bank.example', '198.51.100.1')
    const [{ at }] = families
    await until(async () => (await get('https://bank.example/', at)).status !== 200, 20)
    const handshakes = await reachesNoSite(() => get('https://bank.example/', at))
    assert.deepEqual(handshakes, [])
    sites.resolve('bank.example', sites.address, sites.address6)
  })

  test('a decrypted site at another address needs the certificate of its name', async () => {
    for (const name of ['news.example', 'stranger.example']) sites.resolve(name, '198.51.100.1')
    const [{ at }] = families
    assert.equal((await get('https://news.example/', at)).status, 200)
    await reachesNoSite(async () => assert.equal((await get('https://stranger.example/', at)).status, 503))
    sites.resolve('news.example', sites.address, sites.address6)
  })

  test('nothing on the gateway itself is reached by its names and addresses', async (t) => {
    let requests = 0
    const server = createServer((_, response) => {
      requests++
      response.end()
    })
    t.after(() => server.close())
    await new Promise<void>((resolve) => server.listen(80, '127.0.0.1', resolve))
    sites.resolve('rebinding.example', '127.0.0.1')
    for (const { at } of families) {
      for (const name of ['rebinding.example', 'localhost', '127.0.0.1', '[::1]']) await get(`http://${name}/`, at)
    }
    for (const at of [INSIDE.machine[0], `[${INSIDE.machine[1]}]`, sites.machineAddress]) {
      assert.equal((await get('http://news.example/', at)).status, 0)
    }
    assert.equal(requests, 0)
  })

  test('without the engine nothing passes', async () => {
    await engine.kill('SIGKILL')
    for (const { at } of families) {
      await reachesNoSite(async () => {
        for (const scheme of ['http', 'https']) assert.equal((await get(`${scheme}://news.example/`, at)).status, 500)
        assert.equal((await get('https://bank.example/', at)).status, 0)
      })
    }
  })

  test('without the redirection nothing passes', async () => {
    nft('flush chain inet gateway_proxy redirected')
    for (const { at } of families) {
      for (const port of [80, 443]) assert.equal(await dial('tcp', at, port), 'ECONNREFUSED')
    }
  })
})
