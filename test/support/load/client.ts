// One client that sends one request at a time. It speaks HTTP/1.1 over bare sockets, because an HTTP client costs more than
// the servers that are measured.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

export interface Target {
  readonly port: number
  /** Loopback otherwise. */
  readonly host?: string
  /** `kept`: one connection for all requests, until the server closes it. `new`, `resumed`: one for each. */
  readonly connections: 'kept' | 'new' | 'resumed'
  /** For https. */
  readonly tls?: ConnectionOptions
  /** Whole requests, sent in turn. */
  readonly requests: readonly Buffer[]
}

export interface ClientResponse {
  /** Of the request, in the target's list. */
  readonly index: number
  readonly status: number
  /** Of the body, as stated. */
  readonly length: number
  /** Head and body. */
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
  /** Opens the connection where one is kept. @throws {Error} when there is none */
  ready(): Promise<void>
  send(index: number, due: number): void
  /** Gives up a request that was sent before this moment. */
  giveUp(sentBefore: number): void
  /** Adds to the moment at which a pending request was sent: the machine was stopped for that long. */
  forgive(milliseconds: number): void
  end(): void
}

export interface ClientEvents {
  readonly onResponse: (response: ClientResponse) => void
  /** The request is lost; the client can send the next one. The index is -1 for an answer to no request. */
  readonly onFailure: (failure: ClientFailure) => void
}

const READ_BYTES = 64 * 1024
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const RETRY_AFTER = /\r\nretry-after: *\d/i
const LAST_RESPONSE = /\r\nconnection: *close|^HTTP\/1\.0 /i
const HEAD_END = '\r\n\r\n'
const NONE = -1

// All clients read into it: each has used the bytes before the next one reads.
const shared = Buffer.alloc(READ_BYTES)

export function createClient(target: Target, { onResponse, onFailure }: ClientEvents): Client {
  let socket: Socket | undefined
  let session: Buffer | undefined
  let pending = NONE
  let pendingDue = 0
  let sentAt = 0
  let head = ''
  let size = 0
  let missing = 0
  let status = 0
  let length = 0
  let hasRetryAfter = false
  let isLast = false

  return {
    async ready() {
      if (target.connections === 'kept') await once(dial(), target.tls === undefined ? 'connect' : 'secureConnect')
      if (target.connections === 'resumed') await getSession()
    },
    send(index, due) {
      pending = index
      pendingDue = due
      sentAt = performance.now()
      ;(socket ?? dial()).write(target.requests[index] as Buffer)
    },
    giveUp(sentBefore) {
      if (pending !== NONE && sentAt < sentBefore) fail('unanswered', 'had no answer in time')
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
    const lost = (kind: ClientFailure['kind'], message: string) => {
      if (socket !== dialled) return
      if (pending === NONE) socket = undefined
      else fail(kind, message)
    }
    dialled.on('error', (error: NodeJS.ErrnoException) =>
      lost(error.code === 'ECONNREFUSED' ? 'refused' : 'broken', `was not answered: ${error.message}`),
    )
    dialled.on('close', () => lost('broken', 'was not answered: the server closed the connection'))
    socket = dialled
    return dialled

    function secure(): Socket {
      const secured = connectTls({ ...where, ...target.tls, ...(session !== undefined && { session }) })
      if (target.connections === 'resumed') {
        secured.on('session', (next) => {
          session = next
        })
        if (session !== undefined) {
          secured.on('secureConnect', () => {
            if (!secured.isSessionReused()) fail('broken', 'came over a connection that was not resumed')
          })
        }
      }
      secured.on('data', (bytes: Buffer) => readSafely(bytes.length, bytes))
      return secured
    }
  }

  /** Before any is resumed. */
  async function getSession(): Promise<void> {
    const first = dial()
    await once(first, 'session')
    socket = undefined
    first.destroy()
  }

  function readSafely(count: number, bytes: Buffer): void {
    try {
      read(count, bytes)
    } catch (error) {
      fail('broken', (error as Error).message)
    }
  }

  function read(count: number, bytes: Buffer): void {
    if (pending === NONE) throw new Error('was never sent, and yet there is an answer')
    size += count
    if (missing > 0) missing -= count
    else missing = readHead(count, bytes)
    if (missing < 0) throw new Error('was answered with more bytes than the answer states')
    if (missing > 0 || head !== '') return
    const response = { index: pending, status, length, bytes: size, hasRetryAfter, due: pendingDue, sentAt }
    size = 0
    pending = NONE
    if (isLast || target.connections !== 'kept') {
      const done = socket
      socket = undefined
      done?.end()
    }
    onResponse(response)
  }

  /** How many bytes of the body are still to come. */
  function readHead(count: number, bytes: Buffer): number {
    const text = head + bytes.toString('latin1', 0, count)
    const end = text.indexOf(HEAD_END)
    head = end === -1 ? text : ''
    if (end === -1) return 0
    const fields = text.slice(0, end)
    status = Number(fields.slice(9, 12))
    isLast = LAST_RESPONSE.test(fields)
    hasRetryAfter = status === 503 && RETRY_AFTER.test(fields)
    length = Number(CONTENT_LENGTH.exec(fields)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) throw new Error(`was answered with ${status} without a length`)
    return length - (text.length - end - HEAD_END.length)
  }

  function fail(kind: ClientFailure['kind'], message: string): void {
    const failure = { index: pending, kind, message }
    const lost = socket
    socket = undefined
    lost?.destroy()
    pending = NONE
    head = ''
    size = missing = 0
    onFailure(failure)
  }
}
