// What a handler returns for a request.

import type { RequestEvent } from '../event.ts'
import type { Body } from '../page/body.ts'
import type { Exchange } from './exchange.ts'

export interface HttpResponse {
  readonly status: number
  /** The engine's, for a relayed response: Node then adds no header. */
  readonly reasonPhrase?: string
  /** Name, value, name, …; complete, `content-length` included. */
  readonly headers: readonly string[]
  readonly body: Body
  /** Closes the connection. */
  readonly isLast?: true
}

/** A response, and the event that describes it for log and metrics. */
export interface Handled {
  readonly response: HttpResponse
  readonly event: RequestEvent
}

export type Handler = (exchange: Exchange) => Handled | Promise<Handled>

/** A response with the event `request`. */
export function plain(response: HttpResponse): Handled {
  return { response, event: { name: 'request' } }
}
