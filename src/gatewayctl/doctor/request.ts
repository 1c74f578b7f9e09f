// One request as a visitor's browser would send it, on a new connection. A failed TLS check is part of the result.
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls'

export interface RequestOptions {
  readonly url: URL
  /** Overrides the URL's host and port for the connection. */
  readonly connect?: { readonly host: string; readonly port: number } | undefined
  /** Roots in PEM; default: the system's. */
  readonly roots?: readonly string[] | undefined
  /** An established connection, for example a proxy's tunnel. */
  readonly socket?: Socket | undefined
  /** Headers for a plain-http proxy at `connect`; the request target is then the whole URL. */
  readonly through?: Readonly<Record<string, string>> | undefined
  /** Overrides the request target, for what a `URL` cannot hold. */
  readonly target?: string | undefined
  /** Overrides the Host field. */
  readonly hostField?: string | undefined
  /** Ends the connection after the head: the body of the response is empty. */
  readonly headOnly?: true | undefined
}

export interface Response {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Lower-case names of headers that occur more than once. */
  readonly repeated: readonly string[]
  readonly body: Buffer
  /** For https. */
  readonly tls?: { readonly certificate: PeerCertificate /** Undefined when it is trusted. */; readonly fault?: string }
}

const TIMEOUT_MS = 10_000
const MAXIMUM_BYTES = 1024 * 1024

/** @throws {Error} without a response */
export function send({
  url,
  connect,
  roots,
  socket,
  through,
  target,
  hostField,
  headOnly,
}: RequestOptions): Promise<Response> {
  const name = bareHost(url)
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? requestHttps : requestHttp)({
      host: connect?.host ?? name,
      port: connect?.port ?? (url.port || (secure ? 443 : 80)),
      path: target ?? (through === undefined ? url.pathname + url.search : url.href),
      headers: {
        Host: hostField ?? url.host,
        'User-Agent': 'gatewayctl doctor',
        Accept: '*/*',
        Connection: 'close',
        ...through,
      },
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(socket !== undefined && (secure ? { socket } : { createConnection: () => socket })),
      ...(secure && {
        servername: isIP(name) === 0 ? name : '',
        ...(roots !== undefined && { ca: [...roots] }),
        rejectUnauthorized: false,
        checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(name, certificate),
      }),
    })
    const where = connect === undefined ? url.origin : `${url.origin} at ${connect.host}:${connect.port}`
    outgoing.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.name === 'AbortError' ? 'timed out after 10 s' : (cause.code ?? cause.message)
      reject(new Error(`no response from ${where}: ${why}`, { cause }))
    })
    outgoing.on('response', (response) => {
      // The TLS state is no longer available after the body has been read.
      const tls = secure ? seenOf(response.socket as TLSSocket) : undefined
      const body = headOnly ? Promise.resolve(Buffer.alloc(0)) : read(response)
      if (headOnly) response.on('error', () => {}).destroy()
      body.then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            repeated: repeatedNames(response.rawHeaders),
            body,
            ...(tls !== undefined && { tls }),
          }),
        reject,
      )
    })
    outgoing.end()
  })
}

export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

function seenOf(socket: TLSSocket): NonNullable<Response['tls']> {
  const certificate = socket.getPeerCertificate(true)
  return socket.authorized ? { certificate } : { certificate, fault: String(socket.authorizationError) }
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += (chunk as Buffer).length
    if (length > MAXIMUM_BYTES) throw new Error('a response of more than 1 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function repeatedNames(rawHeaders: readonly string[]): readonly string[] {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}
