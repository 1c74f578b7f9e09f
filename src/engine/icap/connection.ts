// One connection of an ICAP client: its requests are answered in order, each before the next is parsed. Bodies are never
// kept: after a preview they are not sent, otherwise they are repeated or discarded as they arrive.
import type { Duplex } from 'node:stream'
import { type IcapHead, type IcapProblem, isWithoutHttp } from './icap-head.ts'
import type { IcapLimits } from './limits.ts'
import { type IcapEvent, IcapParser } from './parser.ts'
import type { IcapAction, Service } from './service.ts'

export interface ConnectionOptions {
  readonly socket: Duplex
  readonly service: Service
  readonly limits: IcapLimits
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Reports what an operator can fix. */
  readonly report: (reason: string) => void
  readonly logError: (error: unknown) => void
}

const CRLF = Buffer.from('\r\n')
const LAST_CHUNK = '0\r\n\r\n'
/** Parts of requests, and hosts asked about, after which other connections get their turn: about half a millisecond. */
const EVENTS_PER_TURN = 128

/** What happens to the current request. Events of the parser are handled in all phases but `deciding` and `closing`. */
type Phase =
  /** There is none, after the first. */
  | { readonly kind: 'idle' }
  /** Its heads are being received; of the first one, nothing may have arrived. */
  | { readonly kind: 'receiving' }
  | { readonly kind: 'deciding' }
  /** The response is sent when the preview ends: the client sends nothing after that, because no 100 (Continue) invites it to. */
  | { readonly kind: 'preview'; readonly response: string }
  /** The response has been sent, and there is no body. */
  | { readonly kind: 'responded' }
  /** The body is sent back as it arrives, until this time at most. */
  | { readonly kind: 'repeating'; readonly until: number }
  /** As many bytes of the body are received, and dropped. */
  | { readonly kind: 'discarding'; readonly until: number; bytes: number }
  | { readonly kind: 'closing' }

const IDLE: Phase = { kind: 'idle' }
const RECEIVING: Phase = { kind: 'receiving' }
const DECIDING: Phase = { kind: 'deciding' }
const RESPONDED: Phase = { kind: 'responded' }
const CLOSING: Phase = { kind: 'closing' }

export class Connection {
  readonly #options: ConnectionOptions
  readonly #parser = new IcapParser()
  #phase: Phase = RECEIVING
  /** Of the current request. */
  #head: IcapHead | undefined
  /** When the connection is closed, by the clock. */
  #deadline: number
  /** Events since other connections had their turn. */
  #events = 0
  #isStopping = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { socket, clock, limits } = options
    this.#deadline = clock() + limits.requestMs
    socket.on('data', (chunk: Buffer) => {
      if (this.#phase.kind === 'closing') return
      this.#parser.push(chunk)
      this.#run()
    })
    socket.on('drain', () => this.#run())
    socket.on('end', () => this.#run())
  }

  /** Closes the connection if its deadline has passed. */
  expire(now: number): void {
    if (now <= this.#deadline) return
    if (this.#hasNoResponse && this.#parser.isWithinRequest) {
      this.#fail({ status: 408, reason: 'the request is incomplete' })
    } else this.#destroy()
  }

  /** Closes the connection after the response to the current request. */
  stop(): void {
    this.#isStopping = true
    if (!this.#parser.isWithinRequest) this.#close()
  }

  /** Whether the client is still sending a request that has no response yet. */
  get #hasNoResponse(): boolean {
    const { kind } = this.#phase
    return kind === 'idle' || kind === 'receiving' || kind === 'preview'
  }

  get #mayContinue(): boolean {
    const { kind } = this.#phase
    // The client may not read its responses, or it is other connections' turn.
    const hasToWait = this.#options.socket.writableNeedDrain || this.#events >= EVENTS_PER_TURN
    return kind !== 'deciding' && kind !== 'closing' && !hasToWait
  }

  #run(): void {
    const { socket } = this.#options
    while (this.#mayContinue) {
      const event = this.#parser.next()
      if (event === undefined) {
        this.#awaitMore()
        return
      }
      this.#handle(event)
      if (++this.#events >= EVENTS_PER_TURN) this.#yield()
    }
    if (this.#phase.kind !== 'closing') socket.pause()
  }

  /** Node reads up to 2 MB from one socket before it turns to the next: tens of thousands of pipelined requests. */
  #yield(): void {
    setImmediate(() => {
      this.#events = 0
      if (!this.#options.socket.destroyed) this.#run()
    })
  }

  #awaitMore(): void {
    const { socket } = this.#options
    if (socket.readableEnded) {
      if (this.#parser.isWithinRequest) this.#destroy()
      else this.#close()
      return
    }
    if (this.#parser.isWithinRequest) this.#receiveRequest()
    if (socket.isPaused()) socket.resume()
  }

  /** The time limit of a request begins with its first bytes. */
  #receiveRequest(): void {
    if (this.#phase.kind !== 'idle') return
    const { limits, clock } = this.#options
    this.#phase = RECEIVING
    this.#deadline = clock() + limits.requestMs
  }

  #handle(event: IcapEvent): void {
    switch (event.kind) {
      case 'icap': {
        this.#receiveRequest()
        this.#head = event.head
        const problem = this.#options.service.admit(event.head)
        if (problem !== undefined) this.#fail(problem)
        break
      }
      case 'http':
        this.#decide(event.bytes)
        break
      case 'data':
        this.#receive(event.bytes)
        break
      case 'end':
        this.#end()
        break
      case 'malformed':
        // A request that has its response cannot get an error as well.
        if (this.#hasNoResponse) this.#fail(event.problem)
        else this.#destroy()
    }
  }

  #decide(http: Buffer): void {
    const head = this.#head as IcapHead
    try {
      const action = this.#options.service.actionFor(head, http)
      if (action instanceof Promise) this.#wait(action, head, http)
      else this.#respond(head, http, action)
    } catch (error) {
      this.#failUnexpectedly(error)
    }
  }

  #wait(action: Promise<IcapAction>, head: IcapHead, http: Buffer): void {
    this.#phase = DECIDING
    action.then(
      (found) => this.#resume(() => this.#respond(head, http, found)),
      (error: unknown) => this.#resume(() => this.#failUnexpectedly(error)),
    )
  }

  #resume(respond: () => void): void {
    if (this.#options.socket.destroyed) return
    respond()
    this.#run()
  }

  #respond(head: IcapHead, http: Buffer, action: IcapAction): void {
    const { service, limits, clock, report } = this.#options
    if (action.kind === 'problem') {
      this.#fail(action.problem)
      return
    }
    if (action.kind === 'refuse') report(action.refusal.reason)
    const isAllowed = action.kind === 'allow'
    const response = isAllowed ? service.responses.unmodified : action.text
    if (head.preview !== undefined) {
      this.#phase = { kind: 'preview', response }
      return
    }
    const hasBody = head.encapsulated?.hasBody ?? false
    const isRepeated = isAllowed && !head.allows204
    if (hasBody) {
      const until = clock() + limits.bodyMs
      const bytes = isAllowed ? Number.POSITIVE_INFINITY : limits.discardedBytes
      this.#phase = isRepeated ? { kind: 'repeating', until } : { kind: 'discarding', until, bytes }
      this.#deadline = clock() + limits.bodyPauseMs
    } else this.#phase = RESPONDED
    if (isRepeated) {
      // One write: two would be two packets.
      this.#write(service.responses.repeated(http.length, hasBody) + http.toString('latin1'))
    } else this.#write(response)
  }

  #receive(bytes: Buffer): void {
    const { limits, clock } = this.#options
    const phase = this.#phase
    // Otherwise it is a part of the preview.
    if (phase.kind !== 'repeating' && phase.kind !== 'discarding') return
    this.#deadline = Math.min(clock() + limits.bodyPauseMs, phase.until)
    if (phase.kind === 'repeating') {
      this.#write(`${bytes.length.toString(16)}\r\n`)
      this.#write(bytes)
      this.#write(CRLF)
      return
    }
    phase.bytes -= bytes.length
    if (phase.bytes < 0) this.#destroy()
  }

  #end(): void {
    const { limits, clock } = this.#options
    const head = this.#head as IcapHead
    const phase = this.#phase
    if (isWithoutHttp(head.method)) this.#respondWithoutHttp(head)
    else if (phase.kind === 'preview') this.#write(phase.response)
    else if (phase.kind === 'repeating') this.#write(LAST_CHUNK)
    if (this.#phase.kind === 'closing') return
    this.#phase = IDLE
    this.#deadline = clock() + limits.idleMs
    if (head.closes || this.#isStopping) this.#close()
  }

  #respondWithoutHttp(head: IcapHead): void {
    this.#events += head.hosts.length
    try {
      this.#write(this.#options.service.responseWithoutHttp(head))
    } catch (error) {
      this.#failUnexpectedly(error)
    }
  }

  #write(bytes: string | Buffer): void {
    if (typeof bytes === 'string') this.#options.socket.write(bytes, 'latin1')
    else this.#options.socket.write(bytes)
  }

  #fail(problem: IcapProblem): void {
    const { service, report } = this.#options
    report(problem.reason)
    this.#write(service.responses.error(problem))
    this.#close()
  }

  #failUnexpectedly(error: unknown): void {
    this.#options.logError(error)
    this.#fail({ status: 500, reason: 'unexpected error' })
  }

  /** Ends the connection. Data that still arrives is ignored for a moment: a reset could destroy the response. */
  #close(): void {
    const { socket, limits, clock } = this.#options
    this.#phase = CLOSING
    this.#deadline = clock() + limits.closingMs
    socket.end()
    socket.resume()
  }

  #destroy(): void {
    this.#phase = CLOSING
    this.#options.socket.destroy()
  }
}
