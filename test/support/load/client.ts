// A client that sends one request at a time, with HTTP/1.1 or ICAP over bare sockets, because an HTTP client needs more CPU
// than the measured servers.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { openTunnel } from './tunnel.ts'

export interface Target {
  readonly port: number
  /** Loopback by default. */
  readonly host?: string
  /** `kept`: one connection for all requests, until the server closes it. `new`: one per request. */
  readonly connections: 'kept' | 'new'
  /** For https. */
  readonly tls?: ConnectionOptions
  /** Complete requests, sent in turn. */
  readonly requests: readonly Buffer[]
  /** Whether a response without a length, or without its last chunk, may end with the connection. */
  readonly mayEndWithConnection?: boolean
  /** Whether they are also sent on the connections in turn: request i on connection i modulo the connections. */
  readonly isBoundToConnection?: boolean
  /** Through a proxy: the host of each connection, to which it opens a tunnel first. Needs `tls` and kept connections. */
  readonly tunnels?: readonly string[]
  /** In place of `tunnels`: the hosts that clients visit, in turn. Each visit has a new connection for all its requests. */
  readonly visits?: readonly Visit[]
}

export interface Visit {
  readonly host: string
  /** The index of its first request in the target's list. */
  readonly from: number
  /** At least one. */
  readonly requests: number
}

export interface ClientResponse {
  /** The request's index in the target's list. */
  readonly index: number
  readonly status: number
  /** The stated length of the body; -1 without one. */
  readonly length: number
  /** Bytes of head and body. */
  readonly bytes: number
  readonly hasRetryAfter: boolean
  /** When its request was due and when it was sent, on the clock of `performance.now()`. */
  readonly due: number
  readonly sentAt: number
}

export interface ClientFailure {
  readonly index: number
  readonly kind: 'broken' | 'refused' | 'unanswered'
  readonly message: string
}

export interface Client {
  /** Opens the connection if it is kept. @throws {Error} when that fails */
  ready(): Promise<void>
  /** @param host to which a new tunnel is opened first */
  send(index: number, due: number, host?: string): void
  /** Gives up a request that was sent before this moment. */
  giveUp(sentBefore: number): void
  /** Moves the time at which a pending request was sent: the machine was suspended for that long. */
  forgive(milliseconds: number): void
  end(): void
}

export interface ClientEvents {
  readonly onResponse: (response: ClientResponse) => void
  /** The request is lost; the client can send the next one. The index is -1 for an unrequested response. */
  readonly onFailure: (failure: ClientFailure) => void
}

const READ_BYTES = 64 * 1024
/** Of an ICAP response: the heads in its body, after which there is nothing. */
const NULL_BODY = /\r\nencapsulated: [^\r]*null-body=(\d+)/i
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const RETRY_AFTER = /\r\nretry-after: *\d/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i
const LAST_CHUNK = '\r\n0\r\n\r\n'
const LAST_RESPONSE = /\r\nconnection: *close|^HTTP\/1\.0 /i
const HEAD_END = '\r\n\r\n'
const NONE = -1

// All clients read into this buffer: each has used the bytes before the next one reads.
const shared = Buffer.alloc(READ_BYTES)

/** @param number its place among the connections */
export function createClient(target: Target, { onResponse, onFailure }: ClientEvents, number = 0): Client {
  let socket: Socket | undefined
  let tunnelHost = target.tunnels?.[number % target.tunnels.length]
  let pending = NONE
  let pendingDue = 0
  let sentAt = 0
  let head = ''
  let size = 0
  let missing = 0
  /** The last bytes of a response without a length. */
  let tail: string | undefined
  let status = 0
  let length = 0
  let hasRetryAfter = false
  let isLast = false

  return {
    async ready() {
      if (tunnelHost !== undefined) await dig(tunnelHost)
      else if (target.visits === undefined && target.connections === 'kept')
        await once(dial(), target.tls === undefined ? 'connect' : 'secureConnect')
    },
    send(index, due, host) {
      if (host !== undefined) {
        tunnelHost = host
        const done = socket
        socket = undefined
        done?.end()
      }
      pending = index
      pendingDue = due
      sentAt = performance.now()
      const bytes = target.requests[index] as Buffer
      if (socket === undefined && tunnelHost !== undefined) {
        dig(tunnelHost).then(
          () => socket?.write(bytes),
          (error: Error) => fail('broken', `got no tunnel: ${error.message}`),
        )
      } else (socket ?? dial()).write(bytes)
    },
    giveUp(sentBefore) {
      if (pending !== NONE && sentAt < sentBefore) fail('unanswered', 'got no response in time')
    },
    forgive(milliseconds) {
      sentAt += milliseconds
    },
    end() {
      socket?.destroy()
    },
  }

  function dial(): Socket {
    const where = { host: target.host ?? '127.0.0.1', port: target.port, noDelay: true }
    const callback = (count: number, bytes: Uint8Array) => {
      readSafely(count, bytes as Buffer)
      return true
    }
    const dialled: Socket =
      target.tls === undefined ? connect({ ...where, onread: { buffer: shared, callback } }) : secure()
    return use(dialled)

    function secure(): Socket {
      const secured = connectTls({ ...where, ...target.tls })
      secured.on('data', (bytes: Buffer) => readSafely(bytes.length, bytes))
      return secured
    }
  }

  function use(opened: Socket): Socket {
    const lost = (kind: ClientFailure['kind'], message: string) => {
      if (socket !== opened) return
      if (pending === NONE) socket = undefined
      else fail(kind, message)
    }
    opened.on('error', (error: NodeJS.ErrnoException) =>
      lost(error.code === 'ECONNREFUSED' ? 'refused' : 'broken', `got no response: ${error.message}`),
    )
    opened.on('close', () => {
      if (socket === opened && tail !== undefined && target.mayEndWithConnection) complete()
      else lost('broken', 'got no response: the server closed the connection')
    })
    socket = opened
    return opened
  }

  /** Opens a tunnel for the next request. */
  async function dig(to: string): Promise<void> {
    const { host = '127.0.0.1', port, tls } = target
    const opened = await openTunnel({ host, port }, to, tls)
    opened.on('data', (bytes: Buffer) => readSafely(bytes.length, bytes))
    use(opened)
  }

  function readSafely(count: number, bytes: Buffer): void {
    try {
      read(count, bytes)
    } catch (error) {
      fail('broken', (error as Error).message)
    }
  }

  function read(count: number, bytes: Buffer): void {
    if (pending === NONE) throw new Error('was never sent, but there is a response')
    size += count
    if (tail !== undefined)
      missing = readChunks(bytes.toString('latin1', Math.max(0, count - LAST_CHUNK.length), count))
    else if (missing > 0) missing -= count
    else missing = readHead(count, bytes)
    if (missing < 0) throw new Error('got more bytes than the response states')
    if (missing > 0 || head !== '') return
    complete()
  }

  function complete(): void {
    const response = { index: pending, status, length, bytes: size, hasRetryAfter, due: pendingDue, sentAt }
    const isEnded = missing > 0
    size = missing = 0
    tail = undefined
    pending = NONE
    if (isLast || isEnded || target.connections !== 'kept') {
      const done = socket
      socket = undefined
      done?.end()
    }
    onResponse(response)
  }

  /** @returns how many bytes of the body are missing */
  function readHead(count: number, bytes: Buffer): number {
    const text = head + bytes.toString('latin1', 0, count)
    const end = text.indexOf(HEAD_END)
    head = end === -1 ? text : ''
    if (end === -1) return 0
    const fields = text.slice(0, end)
    status = Number(fields.slice(9, 12))
    isLast = LAST_RESPONSE.test(fields)
    hasRetryAfter = status === 503 && RETRY_AFTER.test(fields)
    length = Number((CONTENT_LENGTH.exec(fields) ?? NULL_BODY.exec(fields))?.[1] ?? -1)
    if (length === -1) {
      if (!CHUNKED.test(fields) && !target.mayEndWithConnection)
        throw new Error(`got status ${status} without a length`)
      tail = ''
      return readChunks(text.slice(-LAST_CHUNK.length))
    }
    return length - (text.length - end - HEAD_END.length)
  }

  /** @param end of the bytes so far @returns 1 until the last chunk */
  function readChunks(end: string): number {
    tail = `${tail}${end}`.slice(-LAST_CHUNK.length)
    return tail === LAST_CHUNK ? 0 : 1
  }

  function fail(kind: ClientFailure['kind'], message: string): void {
    const failure = { index: pending, kind, message }
    const lost = socket
    socket = undefined
    lost?.destroy()
    pending = NONE
    head = ''
    tail = undefined
    size = missing = 0
    onFailure(failure)
  }
}
