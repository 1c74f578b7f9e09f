// Asks the engine about hosts, as many as are waiting in one request, one request at a time, on one kept connection.
import type { Socket } from 'node:net'
import { type HostsService, hostsRequest, MOST_HOSTS, parseResponse } from './hosts-service.ts'
import type { Question } from './squid-lines.ts'

interface Answer {
  readonly id: string
  /** Also where the engine has not said so in time. */
  readonly isRuled: boolean
}

export interface EngineQuestionsOptions {
  readonly service: HostsService
  readonly connect: () => Socket
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  readonly answer: (answers: readonly Answer[]) => void
}

/** Milliseconds from a question to its answer, with or without the engine. */
const ANSWER_MS = 250
/** After a failure, until the engine is asked again: no question then waits for it. */
const PAUSE_MS = 100
/** A TLS handshake may take longer than a question may wait. */
const CONNECT_MS = 3_000
/** Questions beyond that are answered without the engine. */
const MOST_WAITING = 10_000

interface Asked {
  readonly id: string
  readonly host: string
  readonly deadline: number
}

export class EngineQuestions {
  readonly #options: EngineQuestionsOptions
  /** Oldest first. */
  #waiting: Asked[] = []
  /** Those of the request whose response is awaited. */
  #sent: readonly Asked[] = []
  #received = ''
  #socket: Socket | undefined
  #isConnected = false
  #expiry: NodeJS.Timeout | undefined
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(options: EngineQuestionsOptions) {
    this.#options = options
    // So that the first question need not wait for it.
    this.#connect()
  }

  ask(questions: readonly Question[]): void {
    const now = this.#options.clock()
    const isPaused = now < this.#pausedUntil
    const unasked: { id: string }[] = []
    for (const { id, host } of questions) {
      if (host === undefined || isPaused || this.#waiting.length >= MOST_WAITING) unasked.push({ id })
      else this.#waiting.push({ id, host, deadline: now + ANSWER_MS })
    }
    this.#answerWithoutEngine(unasked)
    this.#send()
    this.#awaitExpiry()
  }

  #send(): void {
    if (this.#sent.length > 0 || this.#waiting.length === 0) return
    if (this.#socket === undefined) this.#connect()
    if (!this.#isConnected) return
    this.#sent = this.#waiting.splice(0, MOST_HOSTS)
    const hosts = this.#sent.map(({ host }) => host)
    this.#socket?.write(hostsRequest(this.#options.service, hosts), 'latin1')
  }

  #connect(): void {
    const socket = this.#options.connect()
    this.#socket = socket
    const limit = setTimeout(() => this.#fail(socket), CONNECT_MS)
    socket.setNoDelay(true)
    socket.on(this.#options.service.isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(limit)
      if (this.#socket !== socket) return
      this.#isConnected = true
      this.#send()
    })
    socket.on('data', (chunk: Buffer) => this.#receive(socket, chunk))
    socket.on('error', () => this.#fail(socket))
    socket.on('end', () => this.#fail(socket))
    socket.on('close', () => {
      clearTimeout(limit)
      this.#fail(socket)
    })
  }

  #receive(socket: Socket, chunk: Buffer): void {
    if (this.#socket !== socket) return
    const [first] = this.#sent
    this.#received += chunk.toString('latin1')
    const ruled = parseResponse(this.#received, this.#sent.length)
    if (ruled === 'incomplete' && first !== undefined) return
    // Also after this process was stopped for a while: the timer then comes after the response.
    const isLate = first === undefined || this.#options.clock() >= first.deadline
    if (isLate || typeof ruled === 'string') {
      this.#fail(socket)
      return
    }
    const answers = this.#sent.map(({ id }, index) => ({ id, isRuled: ruled[index] !== false }))
    this.#sent = []
    this.#received = ''
    this.#options.answer(answers)
    this.#send()
  }

  /** The connection is of no more use: a response that still came would be taken for the next one. */
  #fail(socket: Socket): void {
    if (this.#socket !== socket) return
    const isIdle = this.#isConnected && this.#sent.length === 0 && this.#received === ''
    this.#socket = undefined
    this.#isConnected = false
    this.#received = ''
    socket.destroy()
    // The engine closes connections that are not used.
    if (isIdle && this.#waiting.length === 0) return
    const unanswered = [...this.#sent, ...this.#waiting]
    this.#sent = []
    this.#waiting = []
    this.#pausedUntil = this.#options.clock() + PAUSE_MS
    this.#answerWithoutEngine(unanswered)
  }

  #awaitExpiry(): void {
    const next = this.#sent[0] ?? this.#waiting[0]
    if (next === undefined || this.#expiry !== undefined) return
    this.#expiry = setTimeout(() => this.#expire(), Math.max(1, next.deadline - this.#options.clock()))
  }

  #expire(): void {
    this.#expiry = undefined
    const now = this.#options.clock()
    const [first] = this.#sent
    if (first !== undefined && first.deadline <= now) this.#fail(this.#socket as Socket)
    const isDue = ({ deadline }: Asked) => deadline <= now
    const due = this.#waiting.filter(isDue)
    this.#waiting = this.#waiting.filter((asked) => !isDue(asked))
    this.#answerWithoutEngine(due)
    this.#awaitExpiry()
  }

  #answerWithoutEngine(asked: readonly { readonly id: string }[]): void {
    if (asked.length > 0) this.#options.answer(asked.map(({ id }) => ({ id, isRuled: true })))
  }
}
