// One address cannot slow the others: uploads that no site reads, and connections beyond the limit.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { type Gateway, skipWithoutGateway, squidVersion, startGateway } from '../../test/proxy/proxy.ts'
import type { Handler } from '../../test/proxy/sites.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const [ATTACKER, OTHER] = ['127.0.0.2', '127.0.0.3']
const UPLOADS = 400
/** Of a decrypted request of another address, without the uploads; below it the machine's noise decides. */
const LEAST_P95_MS = 5

/** Reads nothing, or a little now and then. */
const unread: Handler = () => {}
const barelyRead: Handler = (request) => {
  const timer = setInterval(() => request.read(100), 200)
  request.on('error', () => {}).on('close', () => clearInterval(timer))
}

describe('uploads that a site does not read', { skip: skipWithoutGateway, timeout: 180_000, concurrency: 1 }, () => {
  for (const [name, handler] of Object.entries({ unread, barelyRead })) {
    test(`${name}: ${UPLOADS} of one address, and the requests of another`, async (t) => {
      // Older versions need a large buffer, and copy it with each read: docs/proxy.md, "One address".
      if (squidVersion() < 6.13) return t.diagnostic('Squid before 6.13 does not reach this')
      const gateway = await startGateway(t, {
        sites: { names: ['slow.example', 'news.example'], handlers: { 'slow.example': handler } },
      })
      await p95(gateway, 20)
      const before = await p95(gateway, 200)
      await upload(t, gateway)
      const during = await p95(gateway, 200)
      const mebibytes = memory(gateway)
      t.diagnostic(`p95 ${before.toFixed(1)} ms, then ${during.toFixed(1)} ms; ${mebibytes} MiB`)
      assert.ok(during <= 3 * Math.max(before, LEAST_P95_MS), `${during} ms, before ${before} ms`)
      assert.ok(mebibytes < 300, `${mebibytes} MiB`)
    })
  }
})

describe('PROXY_CLIENT_CONNECTIONS', { skip: skipWithoutGateway, timeout: 120_000, concurrency: 1 }, () => {
  /** Keeps connections open that have had a response. */
  async function open(t: TestContext, { port }: Gateway, count: number): Promise<readonly Socket[]> {
    const sockets: Socket[] = []
    for (let at = 0; at < count; at++) {
      const socket = connect({ host: '127.0.0.1', port, localAddress: ATTACKER }).on('error', () => {})
      t.after(() => socket.destroy())
      await once(socket, 'connect')
      socket.write('GET http://news.example/ HTTP/1.1\r\nHost: news.example\r\n\r\n')
      await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {})
      sockets.push(socket)
    }
    return sockets
  }

  test('above it, an address gets a page in four languages, and none above twice as many', async (t) => {
    const settings = { PROXY_CLIENT_CONNECTIONS: '10' }
    const gateway = await startGateway(t, { sites: { names: ['news.example'] }, settings })
    const sockets = await open(t, gateway, 10)
    for (const scheme of ['http', 'https']) {
      const { status, body } = await gateway.request(`${scheme}://news.example/`, { from: ATTACKER })
      assert.equal(status, 429)
      assert.match(
        body,
        /Too many connections[\s\S]*Trop de connexions[\s\S]*Zu viele Verbindungen[\s\S]*Troppe connessioni/,
      )
    }
    assert.equal((await gateway.request('https://news.example/', { from: OTHER })).status, 200)
    const more = await open(t, gateway, 15)
    await until(() => more.filter(({ destroyed }) => destroyed).length >= 3)
    for (const socket of [...sockets, ...more]) socket.destroy()
    await until(async () => {
      // Until Squid has seen that they are closed, it closes this one, too.
      const response = await gateway.request('http://news.example/', { from: ATTACKER }).catch(() => undefined)
      return response?.status === 200
    })
  })
})

/** Of decrypted and of plain requests, each on a connection of its own; in milliseconds. */
async function p95({ request }: Gateway, count: number): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const start = performance.now()
    const { status } = await request(at % 2 === 0 ? 'https://news.example/' : 'http://news.example/', { from: OTHER })
    assert.equal(status, 200)
    times.push(performance.now() - start)
  }
  return times.toSorted((one, other) => one - other)[Math.floor(count * 0.95)] ?? 0
}

/** Starts uploads, every other one within TLS, each sent as fast as the proxy accepts it. */
async function upload(t: TestContext, gateway: Gateway): Promise<void> {
  const chunk = Buffer.alloc(256 * 1024, 'x')
  for (let at = 0; at < UPLOADS; at++) {
    const isEncrypted = at % 2 === 0
    const socket = connect({ host: '127.0.0.1', port: gateway.port, localAddress: ATTACKER }).on('error', () => {})
    t.after(() => socket.destroy())
    let stream: Socket = socket
    if (isEncrypted) {
      socket.write('CONNECT slow.example:443 HTTP/1.1\r\nHost: slow.example:443\r\n\r\n')
      await Promise.race([once(socket, 'data'), sleep(5_000)]).catch(() => {})
      stream = connectTls({ socket, servername: 'slow.example', rejectUnauthorized: false }).on('error', () => {})
      await Promise.race([once(stream, 'secureConnect'), once(socket, 'close'), sleep(5_000)]).catch(() => {})
    }
    const target = isEncrypted ? '/' : 'http://slow.example/'
    stream.write(`POST ${target} HTTP/1.1\r\nHost: slow.example\r\nContent-Length: 1000000000\r\n\r\n`)
    const send = () => {
      while (!stream.destroyed && stream.write(chunk)) if (stream.writableLength > 4 * chunk.length) return
    }
    stream.on('drain', send)
    send()
  }
  await sleep(3_000)
}

/** What Squid has resident, in MiB. */
function memory(gateway: Gateway): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.squidPid()}/status`, 'utf8')) ?? []
  return Math.round(Number(kibibytes) / 1024)
}
