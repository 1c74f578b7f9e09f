// One connection of an ICAP client: its requests are answered in order, each before the next is parsed. Bodies are never
// kept: after a preview they are not sent, otherwise they are repeated or discarded as they arrive.
import type { Duplex } from 'node:stream'
import { type IcapHead, type IcapProblem, isWithoutHttp } from './icap-head.ts'
import type { IcapLimits } from './limits.ts'
import { type IcapEvent, IcapParser } from './parser.ts'
import type { Answer, Service } from './service.ts'

export interface ConnectionOptions {
  readonly socket: Duplex
  readonly service: Service
  readonly limits: IcapLimits
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  /** Reports what an operator can fix. */
  readonly report: (problem: IcapProblem) => void
  readonly fail: (error: unknown) => void
}

const CRLF = Buffer.from('\r\n')
const LAST_CHUNK = '0\r\n\r\n'
/** Parts of requests, and hosts asked about, after which other connections get their turn: about half a millisecond. */
const EVENTS_PER_TURN = 128

/** What happens to the body of the current request. */
type Body = 'awaited' | 'repeated' | 'discarded'

export class Connection {
  readonly #options: ConnectionOptions
  readonly #parser = new IcapParser()
  #head: IcapHead | undefined
  #body: Body = 'awaited'
  /** The response, if it has to wait for the end of the preview. */
  #held: string | undefined
  /** Bytes of the current body that may still be discarded. */
  #discardable = 0
  /** The client sends nothing more. */
  #hasEnded = false
  #isDeciding = false
  /** Other connections have their turn. */
  #isYielding = false
  /** Events since then. */
  #events = 0
  /** The client does not read its responses. */
  #isBlocked = false
  /** Between requests, after the first. */
  #isIdle = false
  #isStopping = false
  #isClosing = false
  /** When the connection is closed, by the clock. */
  #deadline: number
  /** The deadline for the end of the current body. */
  #bodyDeadline = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { socket, clock, limits } = options
    this.#deadline = clock() + limits.requestMs
    socket.on('data', (chunk: Buffer) => {
      if (this.#isClosing) return
      this.#parser.push(chunk)
      this.#run()
    })
    socket.on('drain', () => {
      this.#isBlocked = false
      this.#run()
    })
    socket.on('end', () => {
      this.#hasEnded = true
      this.#run()
    })
  }

  /** Closes the connection if its deadline has passed. */
  expire(now: number): void {
    if (now <= this.#deadline) return
    const isSending = this.#body === 'awaited' && this.#parser.isWithinRequest && !this.#isClosing && !this.#isDeciding
    if (isSending) this.#fail({ status: 408, reason: 'the request is incomplete' })
    else this.#destroy()
  }

  /** Closes the connection after the response to the current request. */
  stop(): void {
    this.#isStopping = true
    if (!this.#parser.isWithinRequest && !this.#isDeciding) this.#close()
  }

  #run(): void {
    const { socket } = this.#options
    while (!this.#isDeciding && !this.#isBlocked && !this.#isClosing && !this.#isYielding) {
      const event = this.#parser.next()
      if (event === undefined) {
        this.#awaitMore()
        return
      }
      this.#handle(event)
      if (++this.#events >= EVENTS_PER_TURN) this.#yield()
    }
    if (!this.#isClosing) socket.pause()
  }

  /** Node reads up to 2 MB from one socket before it turns to the next: tens of thousands of pipelined requests. */
  #yield(): void {
    this.#isYielding = true
    setImmediate(() => {
      this.#isYielding = false
      this.#events = 0
      if (!this.#options.socket.destroyed) this.#run()
    })
  }

  #awaitMore(): void {
    const { socket, limits, clock } = this.#options
    if (this.#hasEnded) {
      if (this.#parser.isWithinRequest) this.#destroy()
      else this.#close()
      return
    }
    if (this.#isIdle && this.#parser.isWithinRequest) {
      this.#isIdle = false
      this.#deadline = clock() + limits.requestMs
    }
    if (socket.isPaused()) socket.resume()
  }

  #handle(event: IcapEvent): void {
    switch (event.kind) {
      case 'icap': {
        this.#head = event.head
        const problem = this.#options.service.admit(event.head)
        if (problem !== undefined) this.#fail(problem)
        break
      }
      case 'http':
        this.#answer(event.bytes)
        break
      case 'data':
        this.#receive(event.bytes)
        break
      case 'end':
        this.#end()
        break
      case 'malformed':
        // A request that has its response cannot get an error as well.
        if (this.#body === 'awaited') this.#fail(event.problem)
        else this.#destroy()
    }
  }

  #answer(http: Buffer): void {
    const head = this.#head as IcapHead
    try {
      const answer = this.#options.service.answer(head, http)
      if (answer instanceof Promise) this.#wait(answer, head, http)
      else this.#respond(head, http, answer)
    } catch (error) {
      this.#failUnexpectedly(error)
    }
  }

  #wait(answer: Promise<Answer>, head: IcapHead, http: Buffer): void {
    this.#isDeciding = true
    answer.then(
      (found) => this.#resume(() => this.#respond(head, http, found)),
      (error: unknown) => this.#resume(() => this.#failUnexpectedly(error)),
    )
  }

  #resume(respond: () => void): void {
    this.#isDeciding = false
    if (this.#options.socket.destroyed) return
    respond()
    this.#run()
  }

  #respond(head: IcapHead, http: Buffer, answer: Answer): void {
    const { service, limits, clock, report } = this.#options
    if (answer.kind === 'problem') {
      this.#fail(answer.problem)
      return
    }
    if (answer.kind === 'refuse') report({ status: 400, reason: answer.refusal.reason })
    const isAllowed = answer.kind === 'allow'
    const text = isAllowed ? service.responses.unmodified : answer.text
    const hasBody = head.encapsulated?.hasBody ?? false
    if (head.preview !== undefined) {
      // The client sends nothing after its preview: no 100 (Continue) invites it to.
      this.#held = text
      return
    }
    const isRepeated = isAllowed && !head.allows204
    if (hasBody) {
      this.#body = isRepeated ? 'repeated' : 'discarded'
      this.#discardable = isAllowed ? Number.POSITIVE_INFINITY : limits.discardedBytes
      this.#bodyDeadline = clock() + limits.bodyMs
      this.#deadline = clock() + limits.bodyPauseMs
    }
    if (isRepeated) {
      // One write: two would be two packets.
      this.#write(service.responses.repeated(http.length, hasBody) + http.toString('latin1'))
    } else this.#write(text)
  }

  #receive(bytes: Buffer): void {
    const { limits, clock } = this.#options
    // A part of the preview.
    if (this.#body === 'awaited') return
    this.#deadline = Math.min(clock() + limits.bodyPauseMs, this.#bodyDeadline)
    if (this.#body === 'repeated') {
      this.#write(`${bytes.length.toString(16)}\r\n`)
      this.#write(bytes)
      this.#write(CRLF)
      return
    }
    this.#discardable -= bytes.length
    if (this.#discardable < 0) this.#destroy()
  }

  #end(): void {
    const { limits, clock } = this.#options
    const head = this.#head as IcapHead
    if (isWithoutHttp(head.method)) this.#respondWithoutHttp(head)
    else if (this.#held !== undefined) this.#write(this.#held)
    else if (this.#body === 'repeated') this.#write(LAST_CHUNK)
    if (this.#isClosing) return
    this.#held = undefined
    this.#body = 'awaited'
    this.#isIdle = true
    this.#deadline = clock() + limits.idleMs
    if (head.closes || this.#isStopping) this.#close()
  }

  #respondWithoutHttp(head: IcapHead): void {
    this.#events += head.hosts.length
    try {
      this.#write(this.#options.service.respond(head))
    } catch (error) {
      this.#failUnexpectedly(error)
    }
  }

  #write(bytes: string | Buffer): void {
    const isAccepted =
      typeof bytes === 'string' ? this.#options.socket.write(bytes, 'latin1') : this.#options.socket.write(bytes)
    if (!isAccepted) this.#isBlocked = true
  }

  #fail(problem: IcapProblem): void {
    const { service, report } = this.#options
    report(problem)
    this.#write(service.responses.error(problem))
    this.#close()
  }

  #failUnexpectedly(error: unknown): void {
    this.#options.fail(error)
    this.#fail({ status: 500, reason: 'unexpected error' })
  }

  /** Ends the connection. Data that still arrives is ignored for a moment: a reset could destroy the response. */
  #close(): void {
    const { socket, limits, clock } = this.#options
    this.#isClosing = true
    this.#deadline = clock() + limits.closingMs
    socket.end()
    socket.resume()
  }

  #destroy(): void {
    this.#isClosing = true
    this.#options.socket.destroy()
  }
}
