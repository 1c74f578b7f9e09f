// Load that does not wait for answers: requests are due at a rate, whatever became of those before. Each takes a connection
// that is free, or a new one up to a limit; what finds none within a second is not sent.
import { connect, type Socket } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

export interface Load {
  readonly port: number
  readonly host?: string
  readonly tls?: ConnectionOptions
  /** Requests per second. */
  readonly rate: number
  readonly seconds: number
  /** At once, at most. */
  readonly connections: number
  /** Taken in turn. */
  readonly targets: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds until a request counts as unanswered. */
  readonly patience?: number
}

export interface LoadResult {
  /** By status, or what became of it: `broken`, `refused`, `unanswered`, `no connection`. */
  readonly answers: Map<string, number>
  /** Of each answer, from its request on, in microseconds. */
  readonly latency: RecordableHistogram
  /** Answers per second. */
  readonly perSecond: number
  /** Of those with 503, how many said when to come again. */
  readonly withRetryAfter: number
}

interface Connection {
  readonly socket: Socket
  /** Zero while nothing is asked. */
  askedAt: number
}

const TICK = 4
const LOOK = 100
const LONGEST_WAIT = 1_000
const LONGEST_STOP = 1_000
const HEAD_END = '\r\n\r\n'

export async function sendLoad(load: Load): Promise<LoadResult> {
  const { rate, seconds, connections: most, targets, patience = 15_000 } = load
  const answers = new Map<string, number>()
  const latency = createHistogram()
  const headers = { Host: 'portal.example', ...load.headers }
  const tail = ` HTTP/1.1\r\n${Object.entries(headers)
    .map((pair) => `${pair.join(': ')}\r\n`)
    .join('')}\r\n`
  const free: Connection[] = []
  const open = new Set<Connection>()
  const waiting: { target: number; dueAt: number }[] = []
  let asked = 0
  let withRetryAfter = 0

  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1)
  const startedAt = performance.now()
  for (let lookedAt = startedAt; ; ) {
    const now = performance.now()
    const elapsed = now - startedAt
    if (elapsed >= seconds * 1000) break
    for (const due = Math.floor((elapsed / 1000) * rate); asked < due; asked++) {
      ask({ target: asked % targets.length, dueAt: now })
    }
    if (now - lookedAt > LOOK) {
      // Whoever was stopped itself has not waited for anybody.
      const stopped = now - lookedAt
      if (stopped > LONGEST_STOP) for (const connection of busy()) connection.askedAt += stopped
      giveUp(now)
      lookedAt = now
    }
    await sleep(TICK)
  }
  // Whoever waits for a connection when nobody new comes has not been served.
  for (const _ of waiting.splice(0)) count('no connection')
  for (const deadline = performance.now() + patience; busy().length > 0 && performance.now() < deadline; ) {
    giveUp(performance.now())
    await sleep(LOOK)
  }
  const perSecond = latency.count / ((performance.now() - startedAt) / 1000)
  for (const { socket } of open) socket.destroy()
  return { answers, latency, perSecond, withRetryAfter }

  function busy(): Connection[] {
    return [...open].filter(({ askedAt }) => askedAt > 0)
  }

  function giveUp(now: number): void {
    for (; waiting[0] !== undefined && now - waiting[0].dueAt > LONGEST_WAIT; waiting.shift()) count('no connection')
    for (const connection of busy()) {
      if (now - connection.askedAt <= patience) continue
      count('unanswered')
      connection.askedAt = 0
      connection.socket.destroy()
    }
  }

  function ask(one: { target: number; dueAt: number }): void {
    const connection = free.pop() ?? (open.size < most ? openConnection() : undefined)
    if (connection === undefined) {
      waiting.push(one)
      return
    }
    connection.askedAt = performance.now()
    connection.socket.write(`GET ${targets[one.target]}${tail}`)
  }

  function openConnection(): Connection {
    const where = { port: load.port, host: load.host ?? '127.0.0.1', noDelay: true }
    const socket = load.tls === undefined ? connect(where) : connectTls({ ...where, ...load.tls })
    const connection: Connection = { socket, askedAt: 0 }
    open.add(connection)
    let text = ''
    let missing = 0
    let status = ''
    let isLast = false
    let failure = 'broken'
    socket.setEncoding('latin1')
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') failure = 'refused'
    })
    socket.on('close', () => {
      open.delete(connection)
      const at = free.indexOf(connection)
      if (at !== -1) free.splice(at, 1)
      if (connection.askedAt > 0) count(failure)
      connection.askedAt = 0
      next()
    })
    socket.on('data', (piece: string) => {
      if (missing > 0) missing -= piece.length
      else {
        text += piece
        const end = text.indexOf(HEAD_END)
        if (end === -1) return
        const head = text.slice(0, end)
        status = head.slice(9, 12)
        isLast = /\r\nconnection: close/i.test(head)
        if (status === '503' && /\r\nretry-after: \d/i.test(head)) withRetryAfter++
        missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) - (text.length - end - HEAD_END.length)
        text = ''
      }
      if (missing > 0) return
      count(status)
      latency.record(Math.max(1, Math.round((performance.now() - connection.askedAt) * 1000)))
      connection.askedAt = 0
      if (isLast) socket.destroy()
      else {
        free.push(connection)
        next()
      }
    })
    return connection
  }

  function next(): void {
    const one = waiting.shift()
    if (one !== undefined) ask(one)
  }
}

/** `200: 812, 503: 20`. */
export function listed(answers: ReadonlyMap<string, number>): string {
  return (
    [...answers]
      .sort()
      .map((pair) => pair.join(': '))
      .join(', ') || 'none'
  )
}

/** Milliseconds. */
export function percentile({ latency }: LoadResult, share: number): number {
  return latency.count === 0 ? Number.NaN : latency.percentile(share) / 1000
}
