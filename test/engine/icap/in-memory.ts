// A connection without a socket: the test decides where messages are split, and what time it is.
import { once } from 'node:events'
import { type Duplex, duplexPair } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Decision, Engine } from '../../../src/engine/engine.ts'
import { Connection } from '../../../src/engine/icap/connection.ts'
import { LIMITS } from '../../../src/engine/icap/limits.ts'
import { createService, type ServiceOptions } from '../../../src/engine/icap/service.ts'
import { TOKEN } from './messages.ts'

export const REDIRECT = 'https://portal.example/blocked?p=e30..%2F&v=1&ts=1800000000'
const ALLOW: Decision = { verdict: 'allow', rule: undefined, session: false }
const BLOCK: Decision = { verdict: 'block', rule: 'gambling', reference: 'r', redirect: REDIRECT }

/** Stops casino.example, and refuses what is requested of ambiguous.example. */
export const decide: Engine['decide'] = ({ host }) => {
  if (host === 'ambiguous.example') return { verdict: 'refuse' }
  return host === 'casino.example' ? BLOCK : ALLOW
}

/** All but open.example. */
export const isRuled: ServiceOptions['isRuled'] = (host) => host !== 'open.example'

export interface InMemoryClient {
  readonly connection: Connection
  readonly reported: string[]
  readonly failures: unknown[]
  /** Milliseconds. */
  pass(milliseconds: number): void
  /** What has been received, after all that is under way. */
  received(): Promise<string>
  readonly stream: Duplex
  /** Whether the engine has closed the connection. */
  isClosed(): boolean
  /** Sends these parts one after the other, closes its side, and returns all that it receives. */
  talk(...parts: readonly (string | Buffer)[]): Promise<string>
}

export function connect(options: Partial<ServiceOptions> = {}): InMemoryClient {
  const [stream, socket] = duplexPair()
  const reported: string[] = []
  const failures: unknown[] = []
  let now = 0
  let text = ''
  const service = createService({
    decide,
    isRuled,
    policies: { current: { revision: 'revision', affixes: [] } },
    token: TOKEN,
    instance: 'instance',
    nameUser: (request) => request,
    connect: 'decide',
    username: 'plain',
    ...options,
  })
  const connection = new Connection({
    socket,
    service,
    limits: LIMITS,
    clock: () => now,
    report: (reason) => reported.push(reason),
    logError: (error) => failures.push(error),
  })
  stream.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  const client: InMemoryClient = {
    ...{ connection, reported, failures, stream },
    pass(milliseconds) {
      now += milliseconds
      connection.expire(now)
    },
    async received() {
      for (let turns = 0; turns < 8; turns++) await setImmediate()
      return text
    },
    isClosed: () => socket.destroyed,
    async talk(...parts) {
      for (const part of parts) {
        stream.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
        // The next part is a chunk for itself.
        await new Promise(process.nextTick)
      }
      stream.end()
      await once(stream, 'close')
      return text
    },
  }
  return client
}

/** The status codes of ICAP in the order of the responses. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/ICAP\/1\.0 ([0-9]{3}) /g)].map(([, status]) => Number(status))
}

export interface IcapResponse {
  /** With its empty line. */
  readonly head: string
  readonly status: number
  /** The encapsulated HTTP head; empty for none. */
  readonly http: string
  /** The body, without the chunks' framing; undefined for none. */
  readonly body: string | undefined
}

/** Reads responses as a client does: by the offsets of Encapsulated, and chunk by chunk. */
export function responsesOf(text: string): IcapResponse[] {
  const responses: IcapResponse[] = []
  let rest = text
  const take = (length: number) => {
    const taken = rest.slice(0, length)
    rest = rest.slice(length)
    return taken
  }
  const takeLine = () => take(rest.indexOf('\r\n') + 2).slice(0, -2)
  while (rest !== '') {
    const head = take(rest.indexOf('\r\n\r\n') + 4)
    const [, status] = /^ICAP\/1\.0 ([0-9]{3}) .+\r\n/.exec(head) ?? []
    const [, kind, length] = /\r\nEncapsulated: (?:re[qs]-hdr=0, )?(re[qs]|null)-body=([0-9]+)\r\n/.exec(head) ?? []
    const http = take(Number(length))
    let body: string | undefined
    if (kind !== 'null' && kind !== undefined) {
      body = ''
      for (let size = 1; size > 0; take(2)) {
        size = Number.parseInt(takeLine(), 16)
        body += take(size)
      }
    }
    responses.push({ head, status: Number(status), http, body })
  }
  return responses
}
