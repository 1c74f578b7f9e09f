// One client that asks one request after the other. It speaks HTTP/1.1 over bare sockets, because an HTTP client costs
// more than the servers that are measured, and holds every answer against what it has to be.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

/** Whom to ask what. */
export interface Target {
  readonly port: number
  /** `kept`: one for all requests, as long as the server lets it be. `new`, `resumed`: one for each. */
  readonly connections: 'kept' | 'new' | 'resumed'
  /** For https: the server's name, and the CA that vouches for it. */
  readonly tls?: { readonly servername: string; readonly ca: string | Buffer }
  /** Whole requests, taken in turn. */
  readonly requests: readonly Buffer[]
  /** What each is answered with. */
  readonly statuses: readonly number[]
  /** The body length that each answer must have; -1 takes the first one that comes, and notes it down here. */
  readonly lengths: Int32Array
}

export interface Talk {
  /** Opens the connection where one is kept. */
  ready(): Promise<void>
  /** @param meant when this request was meant to go out */
  ask(index: number, meant: number): void
  end(): void
}

export interface TalkEvents {
  /** With the size of the answer, head and body, and the moment that its request was meant for. */
  readonly onAnswer: (bytes: number, meant: number) => void
  readonly onFailure: (error: Error) => void
}

const READ_BYTES = 64 * 1024
// Twice in succession: a machine that was stopped and goes on finds every connection idle once.
const PATIENCE_SECONDS = 5
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const LAST_ANSWER = /\r\nconnection: *close|^HTTP\/1\.0 /i
const HEAD_END = '\r\n\r\n'

// All talks read into it: each has taken what it needs before the next one reads.
const shared = Buffer.alloc(READ_BYTES)

export function createTalk(target: Target, { onAnswer, onFailure }: TalkEvents): Talk {
  let socket: Socket | undefined
  let session: Buffer | undefined
  let asked = -1
  let meant = 0
  let head = ''
  let size = 0
  let missing = 0
  let isLast = false
  let answers = 0

  return {
    async ready() {
      if (target.connections === 'kept') await once(dial(), target.tls === undefined ? 'connect' : 'secureConnect')
      if (target.connections === 'resumed') await meet()
    },
    ask(index, moment) {
      asked = index
      meant = moment
      ;(socket ?? dial()).write(target.requests[index] as Buffer)
    },
    end() {
      socket?.destroy()
    },
  }

  function dial(): Socket {
    const where = { host: '127.0.0.1', port: target.port, noDelay: true }
    const callback = (length: number, bytes: Uint8Array) => {
      readSafely(length, bytes as Buffer)
      return true
    }
    const dialled: Socket =
      target.tls === undefined ? connect({ ...where, onread: { buffer: shared, callback } }) : secure()
    dialled.setTimeout(PATIENCE_SECONDS * 1000)
    const isCurrent = () => socket === dialled
    dialled.on('error', (error) => isCurrent() && onFailure(error))
    let answersWhenLate = -1
    dialled.on('timeout', () => {
      if (!isCurrent() || asked === -1) return
      if (answersWhenLate === answers) fail(`had no answer within ${2 * PATIENCE_SECONDS} s`)
      answersWhenLate = answers
      dialled.setTimeout(PATIENCE_SECONDS * 1000)
    })
    dialled.on('close', () => {
      if (isCurrent() && asked !== -1) fail('was not answered: the server closed the connection')
      else if (isCurrent()) socket = undefined
    })
    socket = dialled
    return dialled

    function secure(): Socket {
      const options: ConnectionOptions = { ...where, ...target.tls, ...(session !== undefined && { session }) }
      const secured = connectTls(options)
      if (target.connections === 'resumed') {
        secured.on('session', (next) => {
          session = next
        })
        if (session !== undefined) {
          secured.on('secureConnect', () => {
            if (!secured.isSessionReused()) fail('came over a connection that was not resumed')
          })
        }
      }
      secured.on('data', (bytes: Buffer) => readSafely(bytes.length, bytes))
      return secured
    }
  }

  /** Has the server hand out a session, before any is resumed. */
  async function meet(): Promise<void> {
    const first = dial()
    await once(first, 'session')
    socket = undefined
    first.destroy()
  }

  function readSafely(length: number, bytes: Buffer): void {
    try {
      read(length, bytes)
    } catch (error) {
      fail((error as Error).message)
    }
  }

  function read(length: number, bytes: Buffer): void {
    if (asked === -1) throw new Error('was never asked, and yet there is an answer')
    size += length
    if (missing > 0) missing -= length
    else missing = readHead(length, bytes)
    if (missing < 0) throw new Error('was answered with more bytes than the answer says')
    if (missing > 0 || head !== '') return
    const answered = size
    size = 0
    asked = -1
    answers++
    if (isLast || target.connections !== 'kept') {
      const done = socket
      socket = undefined
      done?.end()
    }
    onAnswer(answered, meant)
  }

  /** How many bytes of the body are still to come. */
  function readHead(length: number, bytes: Buffer): number {
    const text = head + bytes.toString('latin1', 0, length)
    const end = text.indexOf(HEAD_END)
    head = end === -1 ? text : ''
    if (end === -1) return 0
    const fields = text.slice(0, end)
    const status = Number(fields.slice(9, 12))
    if (status !== target.statuses[asked]) throw new Error(`was answered with ${status}`)
    isLast = LAST_ANSWER.test(fields)
    const stated = Number(CONTENT_LENGTH.exec(fields)?.[1] ?? Number.NaN)
    if (Number.isNaN(stated)) throw new Error('was answered without a length')
    if (target.lengths[asked] === -1) target.lengths[asked] = stated
    const expected = target.lengths[asked]
    if (expected !== stated) throw new Error(`was answered with ${stated} bytes instead of ${expected}`)
    return stated - (text.length - end - HEAD_END.length)
  }

  function fail(what: string): void {
    onFailure(new Error(`request ${asked} ${what}`))
  }
}
