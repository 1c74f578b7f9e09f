// Web sites with made-up names on ports 80 and 443, in a network namespace of their own: the proxy finds them by DNS and
// reaches them from outside, as it does on the Internet. Their sockets belong to the namespace, and are served by this process.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import type { Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { type MadeCertificate, makeCertificate } from '../support/certificates.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { isInNetworkNamespace } from '../support/network-namespace.ts'
import { startNameserver } from '../terminator/dns-server.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface ReceivedRequest {
  readonly scheme: 'http' | 'https'
  readonly method: string
  /** As the client wrote it, without a port. */
  readonly host: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export interface SitesOptions {
  /** Names that resolve to the sites' address, with a certificate of `ca`; by default they echo. */
  readonly names: readonly string[]
  /** Responses of some of them. */
  readonly handlers?: Readonly<Record<string, Handler>>
  /** The CA that the proxy is to trust for them; a new one by default. */
  readonly ca?: MadeCertificate
  /** What the sites' address says that it is called, in reverse DNS. */
  readonly reverse?: string
  /** Certificates of their own, by name: served to clients that send the name (SNI). */
  readonly certificates?: Readonly<Record<string, MadeCertificate>>
  /** Whether the sites have an IPv6 address, too; no name resolves to it yet. */
  readonly ipv6?: boolean
  /** Whether ports 80 and 443 are left to `listen`. */
  readonly isSilent?: boolean
}

export interface Sites {
  /** Its name, for `ip netns`. */
  readonly namespace: string
  /** IPv4, of all sites; and of the end of the link that belongs to this machine. */
  readonly address: string
  readonly machineAddress: string
  /** IPv6, of all sites; only with `ipv6`. */
  readonly address6: string
  /** The address of a DNS server on port 53 that knows the names. */
  readonly nameserver: string
  /** The CA that issued the sites' certificates; the certificate that all of them have. */
  readonly ca: MadeCertificate
  readonly leaf: MadeCertificate
  /** What has reached a site, oldest first. */
  readonly received: readonly ReceivedRequest[]
  /** The CONNECTs and handshakes' names that arrived on port 443. */
  readonly handshakes: readonly string[]
  /** Names about which the DNS server was asked. */
  readonly queries: readonly string[]
  /** Sets a name's addresses; none: it does not exist. */
  resolve(name: string, ...addresses: readonly string[]): void
  /** Says of a name that it does not exist, so many times, and then one address. */
  resolveLate(name: string, failures: number, address: string): void
  /** A socket that listens on a port of the sites' address, by default IPv4. */
  listen(port: number, host?: string): Promise<TcpServer>
}

const VALIDITY_SECONDS = 30 * 86_400
let created = 0

/** A CA for `startSites`, valid now. */
export function makeSiteCa(): MadeCertificate {
  return makeCertificate({ ...validity(), subject: '/O=Northwind/CN=CA of the sites' })
}

/** A server's certificate for these names, valid now unless said otherwise. */
export function makeSiteCertificate(
  issuer: MadeCertificate,
  names: readonly string[],
  times: Partial<ReturnType<typeof validity>> = {},
): MadeCertificate {
  const alternatives = names.map((name) => `DNS:${name}`).join(',')
  const extensions = ['basicConstraints=CA:FALSE', `subjectAltName=${alternatives}`, 'extendedKeyUsage=serverAuth']
  return makeCertificate({ ...validity(), ...times, subject: `/CN=${names[0]}`, issuer, extensions })
}

function validity() {
  const now = Math.floor(Date.now() / 1000)
  return { notBefore: now - VALIDITY_SECONDS, notAfter: now + VALIDITY_SECONDS }
}

/** Requires root, `ip` and OpenSSL, and in a test file `continueInNetworkNamespace`. */
export async function startSites(t: Cleanup, options: SitesOptions): Promise<Sites> {
  assert.ok(isInNetworkNamespace || !process.env.NODE_TEST_CONTEXT, 'call continueInNetworkNamespace first')
  const { ca = makeSiteCa() } = options
  const number = created++
  const namespace = `sites${process.pid}x${number}`
  // One network of four addresses per process and call, of those set aside for benchmarks (RFC 2544).
  const block = ((process.pid * 8 + number) % 32_768) * 4
  const address = (host: number) => `198.${18 + (block >> 16)}.${(block >> 8) & 255}.${(block & 255) + host}`
  const [machineAddress, siteAddress] = [address(1), address(2)]
  const address6 = `fd00:18:${(block / 4).toString(16)}::2`
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000, stdio: 'pipe' })
  ip('netns', 'add', namespace)
  t.after(async () => ip('netns', 'delete', namespace))
  const [outer, inner] = [`g${process.pid}x${number}`, `h${process.pid}x${number}`]
  ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', namespace)
  ip('address', 'add', `${machineAddress}/30`, 'dev', outer)
  ip('link', 'set', outer, 'up')
  ip('-n', namespace, 'address', 'add', `${siteAddress}/30`, 'dev', inner)
  if (options.ipv6) {
    ip('address', 'add', `fd00:18:${(block / 4).toString(16)}::1/64`, 'dev', outer, 'nodad')
    ip('-n', namespace, 'address', 'add', `${address6}/64`, 'dev', inner, 'nodad')
  }
  ip('-n', namespace, 'link', 'set', inner, 'up')
  ip('-n', namespace, 'link', 'set', 'lo', 'up')

  async function listen(port: number, host = siteAddress): Promise<TcpServer> {
    const program = `const server = require('net').createServer().listen(${port}, '${host}', () =>
      process.send('socket', server, () => process.exit()))`
    const child = spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [, server] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) })
    return server as TcpServer
  }

  const leaf = makeSiteCertificate(ca, options.names)
  const contexts = new Map(
    Object.entries(options.certificates ?? {}).map(([name, { certificate, key }]) => [
      name,
      createSecureContext({ cert: certificate, key }),
    ]),
  )
  const received: ReceivedRequest[] = []
  const handshakes: string[] = []
  const respond = (scheme: 'http' | 'https') => (request: IncomingMessage, response: ServerResponse) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    received.push({ scheme, method: request.method ?? '', host, path: request.url ?? '', headers: request.headers })
    const handler = options.handlers?.[host] ?? echo
    handler(request, response)
  }
  const tls: ServerOptions = {
    cert: leaf.certificate,
    key: leaf.key,
    SNICallback(name, done) {
      handshakes.push(name)
      done(null, contexts.get(name))
    },
  }
  const addresses = options.ipv6 ? [siteAddress, address6] : [siteAddress]
  for (const host of options.isSilent ? [] : addresses) {
    for (const [server, port] of [
      [createHttpServer(respond('http')), 80],
      [createHttpsServer(tls, respond('https')), 443],
    ] as const) {
      server.on('upgrade', echoWebSocket)
      await serve(t, server, await listen(port, host))
    }
  }

  const names = new Map<string, readonly string[]>(options.names.map((name) => [name, [siteAddress]]))
  const nameserver = `127.${1 + (block >> 16)}.${(block >> 8) & 255}.${(block & 255) + 1}`
  const failures = new Map<string, number>()
  const queries: string[] = []
  const reverse = `${siteAddress.split('.').reverse().join('.')}.in-addr.arpa`
  await startNameserver(t, {
    ...{ address: nameserver, port: 53, ttlSeconds: 1, reverse: { [reverse]: options.reverse } },
    lookUp(name) {
      queries.push(name)
      const left = failures.get(name) ?? 0
      failures.set(name, left - 1)
      return left > 0 ? [] : (names.get(name) ?? [])
    },
  })
  return {
    ...{ namespace, machineAddress, address6, nameserver, ca, leaf, received, handshakes, queries, listen },
    address: siteAddress,
    resolve(name, ...addresses) {
      names.set(name, addresses)
    },
    resolveLate(name, count, ...addresses) {
      names.set(name, addresses)
      failures.set(name, count)
    },
  }
}

async function serve(t: Cleanup, server: Server, socket: TcpServer): Promise<void> {
  server.listen(socket)
  await once(server, 'listening')
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    socket.close()
  })
}

/** Method, path and number of bytes; a query `headers` gets the request's headers as JSON. */
export const echo: Handler = async (request, response) => {
  let bytes = 0
  try {
    for await (const chunk of request) bytes += chunk.length
  } catch {
    // The proxy has closed the connection.
    return
  }
  const { method, url, headers } = request
  response.end(url?.endsWith('?headers') ? JSON.stringify(headers) : `${method} ${url} ${bytes}`)
}

/** The opcode of the last frame. */
const CLOSE = 8

/** The handshake, and then what the client sends: as it is, or, if it is a frame of RFC 6455, as the server's frame. */
function echoWebSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accepted = createHash('sha1').update(key).digest('base64')
  socket.on('error', () => {})
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
  )
  socket.on('data', (data: Buffer) => {
    if (!isMaskedFrame(data)) return void socket.write(data)
    socket.write(unmasked(data))
    if (((data[0] as number) & 0x0f) === CLOSE) socket.end()
  })
  socket.on('end', () => socket.end())
}

/** Whether it is one whole frame from a browser, with less than 126 bytes of payload. */
function isMaskedFrame(data: Buffer): boolean {
  const [first = 0, second = 0] = data
  return (first & 0x80) !== 0 && (second & 0x80) !== 0 && data.length === 6 + (second & 0x7f)
}

function unmasked(frame: Buffer): Buffer {
  const payload = frame.subarray(6)
  const mask = frame.subarray(2, 6)
  return Buffer.from([
    frame[0] as number,
    payload.length,
    ...payload.map((byte, at) => byte ^ (mask[at % 4] as number)),
  ])
}
