// What comes in and what goes out, as the routes see it.
import type { ServerResponse } from 'node:http'
import type { Verdict } from '../contract/verdict.ts'
import type { EngineAnswer } from './engine-client/answer.ts'
import type { ByteString } from './html/byte-string.ts'
import type { FullLimit } from './relay-limit.ts'
import type { AcknowledgementTimes, Refusal } from './request-event.ts'
import type { PortalRequest, RequestHeaders } from './request-headers.ts'

export interface Answer {
  readonly status: number
  /** The engine's own, where this is its answer: then Node adds no header either. */
  readonly reasonPhrase?: string
  /** Name, value, name, …; complete, the length included. */
  readonly headers: readonly string[]
  readonly body: ByteString | Buffer
  /** The connection ends with it, and what is pipelined behind its request does not run. */
  readonly isLast?: true
}

export type Handler = (exchange: Exchange) => Answer | Promise<Answer>

/** A request, with what is noted down for its log line. Its target is taken as it comes: nothing is decoded or folded. */
export class Exchange {
  readonly request: PortalRequest
  readonly response: ServerResponse
  readonly headers: RequestHeaders
  /** As it stands in the request line. */
  readonly target: string
  /** What stands before the question mark. */
  readonly path: string
  /** What follows the question mark; empty without one. */
  readonly query: string
  /** Milliseconds, by `performance.now()`. */
  readonly startedAt: number = performance.now()
  /** The same, once the answer is out or its browser gone. */
  endedAt = Number.NaN

  // Noted down by the routes; never `p`, a code or a cookie.
  verdict: Verdict | undefined = undefined
  /** Whether the answer shows the verdict to somebody. */
  isShown = false
  /** Why the request or its payload was refused. */
  refusal: Refusal | undefined = undefined
  /** With the refusal `overloaded`. */
  fullLimit: FullLimit | undefined = undefined
  engineAnswer: EngineAnswer | undefined = undefined
  times: AcknowledgementTimes | undefined = undefined

  constructor(request: PortalRequest, response: ServerResponse) {
    this.request = request
    this.response = response
    this.headers = request.headers
    this.target = request.url as string
    const mark = this.target.indexOf('?')
    this.path = mark === -1 ? this.target : this.target.slice(0, mark)
    this.query = mark === -1 ? '' : this.target.slice(mark + 1)
  }
}
