// The terminator's TLS: versions, ciphers, protocols, and renewal of the leaf in operation.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { Agent } from 'node:https'
import { after, describe, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { DAY_MS, startPublishing } from '../engine/publishing.ts'
import { rawResponse, startHostileEngine } from '../support/hostile-engine.ts'
import { skipWithoutNginx, startTerminator } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { send } from './client.ts'

const START = Date.now() - 61 * DAY_MS
const OK = rawResponse('200 OK', [], 'answered')

describe('TLS', { skip: skipWithoutNginx }, async () => {
  const { folder, path, read, publish } = await startPublishing({ after })
  const publishAt = (now: number, portalNames: string[] = []) =>
    publish({ portalHost: 'localhost', portalNames, clock: () => now })
  await publishAt(START)
  const ca = await read('ca/ca.crt')
  const portal = await startHostileEngine(undefined, (socket) => {
    socket.write(OK)
    socket.on('data', () => socket.write(OK))
  })
  after(() => portal.close())
  const terminator = await startTerminator(
    { after },
    { portal: `127.0.0.1:${portal.port}`, leaf: `${folder}/terminator` },
  )
  const port = terminator.httpsPort
  const origin = `https://localhost:${port}`

  function handshake(options: ConnectionOptions = {}): Promise<TLSSocket | string> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ...options })
      socket.once('secureConnect', () => resolve(socket))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    })
  }

  async function look<Seen>(options: ConnectionOptions, see: (socket: TLSSocket) => Seen): Promise<Seen | string> {
    const socket = await handshake(options)
    if (typeof socket === 'string') return socket
    const seen = see(socket)
    socket.destroy()
    return seen
  }

  test('TLS 1.2 and 1.3, and nothing older', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      assert.equal(await look({ maxVersion: version }, (socket) => socket.getProtocol()), version)
    }
    for (const version of ['TLSv1', 'TLSv1.1'] as const) {
      const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }
      assert.match(String(await look(old, (socket) => socket.getProtocol())), /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/)
    }
  })

  test('only ciphers with forward secrecy and authenticated encryption', async () => {
    const cipher = (ciphers: string) =>
      look({ maxVersion: 'TLSv1.2', ciphers }, (socket) => socket.getCipher().standardName)
    assert.equal(await cipher('ECDHE-ECDSA-AES128-GCM-SHA256'), 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256')
    assert.equal(await cipher('ECDHE-ECDSA-CHACHA20-POLY1305'), 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256')
    for (const old of ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'AES128-GCM-SHA256']) {
      assert.match(String(await cipher(`${old}:@SECLEVEL=0`)), /HANDSHAKE_FAILURE/, old)
    }
  })

  test('HTTP/2 if the client supports it, HTTP/1.1 otherwise', async () => {
    const agreed = (...ALPNProtocols: string[]) => look({ ALPNProtocols }, (socket) => socket.alpnProtocol)
    assert.equal(await agreed('h2', 'http/1.1'), 'h2')
    assert.equal(await agreed('http/1.1'), 'http/1.1')
  })

  test('a session is resumed, and never with early data', async () => {
    const socket = await handshake()
    assert.ok(typeof socket !== 'string')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [session] = await once(socket, 'session')
    socket.destroy()
    assert.equal(await look({ session }, (resumed) => resumed.isSessionReused()), true)
    const running = promisify(execFile)('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-tls1_3', '-ign_eof'])
    running.child.stdin?.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const { stdout } = await running
    assert.match(stdout, /Post-Handshake New Session Ticket/)
    assert.deepEqual(new Set(stdout.match(/Max Early Data: \d+/g)), new Set(['Max Early Data: 0']))
  })

  test('sessions are stored by the terminator, not in tickets', async (t) => {
    /** @returns the ticket of a TLS 1.2 session; with TLS 1.3 a stored session looks like a ticket */
    const ticket = async (port: number) => {
      const socket = await handshake({ port, maxVersion: 'TLSv1.2' })
      assert.ok(typeof socket !== 'string')
      const session = socket.getSession()
      const [found, resumed] = [
        socket.getTLSTicket(),
        await look({ port, maxVersion: 'TLSv1.2', ...(session && { session }) }, (again) => again.isSessionReused()),
      ]
      socket.destroy()
      return { found: found !== undefined, resumed }
    }
    assert.deepEqual(await ticket(port), { found: false, resumed: true })
    const edit = (shipped: string) => shipped.replace('ssl_session_tickets off', 'ssl_session_tickets on')
    const options = { portal: `127.0.0.1:${portal.port}`, leaf: `${folder}/terminator`, edit }
    const control = await startTerminator(t, options)
    assert.deepEqual(await ticket(control.httpsPort), { found: true, resumed: true })
  })

  test('a renewed leaf is served at once, and no connection is closed', { timeout: 30_000 }, async () => {
    const serial = () => look({}, (socket) => socket.getPeerX509Certificate()?.serialNumber)
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = async (agent: Agent | false) => (await send(origin, '/', { ca, agent })).body
    const session = connectHttp2(origin, { ca })
    const getHttp2 = async () => Buffer.concat(await session.request({ ':path': '/' }).toArray()).toString()
    assert.deepEqual([await get(kept), await getHttp2()], ['answered', 'answered'])
    const [socket] = Object.values(kept.freeSockets).flat()
    const before = await serial()

    await publishAt(Date.now())
    assert.notEqual(await serial(), before)
    assert.deepEqual([await get(kept), await getHttp2()], ['answered', 'answered'])
    assert.equal(Object.values(kept.freeSockets).flat()[0], socket, 'on the same connection')

    // Repeated renewals, with new handshakes and old connections.
    let renewals = 0
    const renewing = (async () => {
      for (; renewals < 20; renewals++) await publishAt(Date.now(), [`name${renewals}.example`])
    })()
    let requests = 0
    while (renewals < 20) {
      assert.deepEqual(await Promise.all([get(false), get(kept), getHttp2(), get(false)]), Array(4).fill('answered'))
      requests += 4
    }
    await renewing
    assert.ok(requests > 20, `${requests} requests`)
    assert.equal(terminator.logText().includes('[error]'), false)
    session.destroy()
    kept.destroy()
  })

  test('a missing leaf fails handshakes, not the service, and the log says why', async () => {
    const file = path('terminator/portal.crt')
    await rename(file, `${file}.away`)
    assert.match(String(await handshake()), /ALERT_INTERNAL_ERROR|ECONNRESET/)
    assert.equal((await send(`http://localhost:${terminator.httpPort}`, '/')).body, 'answered')
    await rename(`${file}.away`, file)
    assert.equal((await send(origin, '/', { ca })).body, 'answered')
    await until(() => /cannot load certificate "\S+portal\.crt"/.test(terminator.logText()))
  })
})
