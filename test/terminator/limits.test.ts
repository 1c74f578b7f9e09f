// Limits for one client of the terminator: memory, requests in flight, requests per second.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { startPublishing } from '../engine/publishing.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { startFlood } from '../support/http2-flood.ts'
import { listen } from '../support/listen.ts'
import { startPortal } from '../support/portal.ts'
import { proportionalBytes } from '../support/processes.ts'
import { skipWithoutLinux } from '../support/requirement.ts'
import { skipWithoutNginx, skipWithoutStream, startTerminator } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { type ClientResponse, send, sendHttp2 } from './client.ts'
import { startDnsServer } from './dns-server.ts'

// The fake portal closes each connection: without saying so, the terminator would send its next request on it.
const OK = rawResponse('200 OK', ['Connection: close'], 'answered')
const MIB = 1024 * 1024
const CONNECTIONS = 32

/** @returns the terminator's memory limit of every deployment, in bytes */
function memoryLimits(): number[] {
  const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')
  const limits = [
    parse(read('compose.yaml'), { merge: true }).services.terminator.mem_limit,
    parse(read('swarm/stack.yaml'), { merge: true }).services.terminator.deploy.resources.limits.memory,
    /^MemoryMax=(\S+)$/m.exec(read('systemd/gateway-terminator.service'))?.[1],
    /limits: \{ memory: (\w+) \}/.exec(read('kubernetes/base/terminator.yaml'))?.[1],
  ]
  return limits.map((limit) => {
    const [, mebibytes] = /^(\d+)Mi?$/i.exec(String(limit)) ?? assert.fail(`${limit}`)
    return Number(mebibytes) * MIB
  })
}

/** Holds each request until its entry in `waiting` is called, and keeps connections open. */
async function startKeepAlivePortal(t: TestContext) {
  const waiting: (() => void)[] = []
  const open = new Set<Socket>()
  const server = createServer((_, response) => void waiting.push(() => response.end('served')))
  server.keepAliveTimeout = 30_000
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return { waiting, port: await listen(t, server), openConnections: () => open.size }
}

describe('limits', { skip: skipWithoutNginx }, async () => {
  const { folder, read, publish } = await startPublishing({ after })
  await publish({ portalHost: 'localhost' })
  const ca = await read('ca/ca.crt')
  const leaf = `${folder}/terminator`

  /** Starts a portal that holds its responses until it is released. */
  async function startHolding(t: TestContext, settings: Record<string, string>, edit?: (shipped: string) => string) {
    const waiting: (() => void)[] = []
    const portal = await startHostileEngine(t, (socket) => void waiting.push(() => socket.end(OK)))
    const options = { portal: `127.0.0.1:${portal.port}`, leaf, settings, ...(edit && { edit }) }
    const terminator = await startTerminator(t, options)
    return { waiting, plain: `http://localhost:${terminator.httpPort}`, terminator }
  }

  test('1,000 connections that read nothing use less than half of the memory, and other visitors are served', {
    skip: skipWithoutLinux,
  }, async (t) => {
    const limits = memoryLimits()
    assert.equal(limits.length, 4)
    const allowed = Math.min(...limits) / 2
    const portal = await startPortal(t, { env: { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1' } })
    const terminator = await startTerminator(t, { portal: portal.address.slice('http://'.length), leaf })
    const origin = `https://localhost:${terminator.httpsPort}`
    for (const [heads, connections] of [
      ['nine cookies', 1_000],
      ['tiny headers', 20],
    ] as const) {
      const flood = await startFlood({ port: terminator.httpsPort, connections, streams: 128, heads })
      try {
        let most = 0
        for (let visits = 0; visits < 10; visits++) {
          const { status } = await send(origin, '/privacy', { ca, localAddress: '127.0.0.2' })
          assert.equal(status, 200)
          most = Math.max(most, proportionalBytes(terminator.pid))
        }
        t.diagnostic(`${connections} connections, ${heads}: ${Math.round(most / MIB)} MiB of ${allowed / MIB}`)
        assert.ok(most > MIB && most < allowed, `${most}`)
        assert.ok(flood.finished() > connections, 'most of the streams are refused at once')
      } finally {
        flood.close()
      }
    }
  })

  test('requests in flight: one more gets 429 at once, only for this client; a connection has at most 16 streams', async (t) => {
    const { waiting, plain, terminator } = await startHolding(t, { TERMINATOR_REQUESTS_AT_ONCE: '2' })
    const held = [send(plain, '/'), send(plain, '/')]
    await until(() => waiting.length === 2)
    const { status, headers, body } = await send(plain, '/blocked?p=zqpayload')
    assert.deepEqual({ status, body }, { status: 429, body: '' })
    assert.deepEqual([headers['retry-after'], headers['cache-control']], ['1', 'no-store'])
    const https = `https://localhost:${terminator.httpsPort}`
    assert.equal((await sendHttp2(https, ca, { ':path': '/' })).status, 429)
    const session = connectHttp2(https, { ca })
    t.after(() => session.destroy())
    await until(() => session.remoteSettings?.maxConcurrentStreams === 16)
    const other = send(plain, '/', { localAddress: '127.0.0.2' })
    await until(() => waiting.length === 3)
    for (const answerIt of waiting) answerIt()
    for (const one of [...held, other]) assert.equal((await one).status, 200)
    const again = send(plain, '/')
    await until(() => waiting.length === 4)
    waiting[3]?.()
    assert.equal((await again).status, 200)
    assert.doesNotMatch(terminator.logText(), /zqpayload|client:|127\.0\.0\.1/)
  })

  test('requests per second: a burst of ten times as many, then 429', async (t) => {
    const portal = await startHostileEngine(t, respondWith(OK))
    const options = { portal: `127.0.0.1:${portal.port}`, leaf }
    const limited = await startTerminator(t, { ...options, settings: { TERMINATOR_REQUESTS_PER_SECOND: '1' } })
    const served = async (port: number) => {
      const answers = Array.from({ length: 30 }, () => send(`http://localhost:${port}`, '/'))
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      assert.deepEqual(
        new Set(statuses.filter((status) => status !== 200)),
        new Set(port === limited.httpPort ? [429] : []),
      )
      return statuses.filter((status) => status === 200).length
    }
    // One, a burst of ten, and one more for each second that this takes.
    const count = await served(limited.httpPort)
    assert.ok(count >= 11 && count <= 15, `${count}`)
    const settings = { TERMINATOR_REQUESTS_PER_SECOND: '1', TERMINATOR_UNLIMITED: '192.0.2.0/24, 127.0.0.1 ::1' }
    const exempt = await startTerminator(t, { ...options, settings })
    assert.equal(await served(exempt.httpPort), 30)
  })

  for (const isNamed of [false, true]) {
    test(`connections to a portal ${isNamed ? 'found by name' : 'with an address'}: one more request gets 503 at once`, {
      skip: isNamed && skipWithoutStream,
    }, async (t) => {
      const { waiting, port, openConnections } = await startKeepAlivePortal(t)
      const dns = isNamed ? await startDnsServer(t, 'portal.internal') : undefined
      dns?.answer('127.0.0.1')
      const terminator = await startTerminator(t, {
        portal: `${isNamed ? 'portal.internal' : '127.0.0.1'}:${port}`,
        leaf,
        ...(dns && { resolver: dns.address }),
        settings: { TERMINATOR_PORTAL_CONNECTIONS: `${CONNECTIONS}`, TERMINATOR_UNLIMITED: '127.0.0.1' },
      })
      const plain = `http://localhost:${terminator.httpPort}`
      // The first round leaves idle connections, which count in the second.
      for (const round of ['first', 'second']) {
        const responses = Array.from({ length: 3 * CONNECTIONS }, () => send(plain, '/blocked?p=zqpayload'))
        // Requests within the limit are held: the others get their response first.
        const refused: ClientResponse[] = []
        for (const one of responses) void one.then((response) => refused.push(response))
        await until(() => refused.length >= 2 * CONNECTIONS)
        for (const { status, headers, body } of refused.splice(0)) {
          assert.deepEqual([status, headers['retry-after']], [503, '5'], round)
          assert.match(body, /briefly unavailable/)
        }
        assert.ok(openConnections() <= CONNECTIONS, `${openConnections()}`)
        let isDone = false
        const all = Promise.all(responses).finally(() => {
          isDone = true
        })
        await until(() => {
          for (const respond of waiting.splice(0)) respond()
          return isDone
        })
        const served = (await all).filter(({ status }) => status === 200).length
        assert.ok(served >= CONNECTIONS / 2 && served <= CONNECTIONS, `${served} in the ${round} round`)
        assert.ok(openConnections() <= CONNECTIONS, `${openConnections()} with the idle ones`)
      }
      assert.doesNotMatch(terminator.logText(), /zqpayload|client:/)
    })
  }

  test('a client that sends its head or its handshake slowly is disconnected', async (t) => {
    const portal = await startHostileEngine(t, respondWith(OK))
    const terminator = await startTerminator(t, {
      portal: `127.0.0.1:${portal.port}`,
      leaf,
      edit: (shipped) => shipped.replace(/client_header_timeout 10s;/, 'client_header_timeout 1s;'),
    })
    const slow = async (port: number, bytes: string) => {
      const socket = connect(port, '127.0.0.1')
      t.after(() => socket.destroy())
      socket.on('error', () => {})
      socket.resume()
      socket.write(bytes, 'latin1')
      const isClosed = () => {
        // A byte now and then must not extend it.
        socket.write('x')
        return socket.destroyed
      }
      await until(isClosed, 15, 200)
    }
    // The first bytes of a handshake: a record of 512 bytes that never ends.
    const handshake = Buffer.from([0x16, 3, 1, 2, 0]).toString('latin1')
    await Promise.all([slow(terminator.httpPort, 'GET / HTTP/1.1\r\nX: '), slow(terminator.httpsPort, handshake)])
    assert.equal(portal.connections.length, 0)
  })

  test('a client is an IPv4 address, or an IPv6 network of 64 bits', async (t) => {
    const { waiting, plain } = await startHolding(
      t,
      { TERMINATOR_REQUESTS_AT_ONCE: '1', TERMINATOR_UNLIMITED: '2001:db8:1::/48,198.51.100.0/24' },
      // Lets a test use any address.
      (shipped) =>
        shipped.replace('    server {', '    set_real_ip_from 127.0.0.1;\n    real_ip_header X-Test;\n    server {'),
    )
    const from = (address: string) => send(plain, '/', { headers: { 'x-test': address } })
    const groups: readonly { readonly first: string; readonly same: string[]; readonly others: string[] }[] = [
      { first: '192.0.2.1', same: ['192.0.2.1'], others: ['192.0.2.2'] },
      {
        first: '2001:db8::1',
        same: ['2001:db8:0:0:ffff::1', '2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::a0a:0'],
        others: ['2001:db8:0:1::1', '2001:db8:0:2::', '::1'],
      },
      // An address that contains a line feed byte, which a pattern's dot may not match.
      { first: '2001:a0a:a0a:a0a::1', same: ['2001:a0a:a0a:a0a:a0a:a0a:a0a:a0a'], others: ['2001:a0a:a0a:a0b::1'] },
      { first: '2001:db8:1::1', same: [], others: ['2001:db8:1::1', '2001:db8:1::2'] },
      { first: '198.51.100.7', same: [], others: ['198.51.100.7'] },
    ]
    const answered: Promise<{ status: number }>[] = []
    const hold = async (address: string) => {
      const before = waiting.length
      answered.push(from(address))
      await until(() => waiting.length === before + 1)
    }
    for (const { first, same, others } of groups) {
      await hold(first)
      for (const address of same) assert.equal((await from(address)).status, 429, address)
      for (const address of others) await hold(address)
    }
    for (const answerIt of waiting) answerIt()
    for (const { status } of await Promise.all(answered)) assert.equal(status, 200)
  })
})
