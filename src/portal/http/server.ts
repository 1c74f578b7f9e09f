// The HTTP server: receives requests, writes responses, and drains on shutdown.
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Capacity } from '../capacity.ts'
import type { RequestEvent } from '../event.ts'
import { Exchange } from './exchange.ts'
import type { Handled, Handler, HttpResponse } from './handler.ts'
import { createLoadShedding, type ShedCounts, type SheddingFigures } from './load-shedding.ts'
import { PortalRequest } from './request-headers.ts'
import { createRequestQueue } from './request-queue.ts'

export interface PortalServer {
  readonly server: Server
  /** @returns its address */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>
  /**
   * Drains: until `graceEnds`, requests are still served, and each connection is closed after its response. Then stops
   * accepting connections, and waits for responses in flight and for acknowledgements whose browser has disconnected.
   */
  close(graceEnds?: Promise<unknown>): Promise<void>
  load(): ServerLoad
}

/** For monitoring. */
export interface ServerLoad extends SheddingFigures {
  /** Requests whose handler has not settled. */
  readonly inFlight: number
}

/** A request whose response was written, or whose browser disconnected before that. */
export interface EndedRequest {
  readonly exchange: Exchange
  readonly event: RequestEvent
  readonly status: number
  /** Milliseconds, by `performance.now()`. */
  readonly endedAt: number
  readonly isAborted: boolean
}

/** Counted here, for the metrics. */
interface RequestCounts {
  /** Requests without a complete response yet. */
  inFlight: number
  readonly shed: ShedCounts
}

export interface PortalServerOptions {
  readonly log: Logger
  readonly capacity: Capacity
  readonly tally: RequestCounts
  readonly handle: Handler
  /** Whether it is served however long it was queued. */
  readonly isNeverShed: (exchange: Exchange) => boolean
  /** A small prepared 503 with `Retry-After`. */
  readonly overloadedResponse: (exchange: Exchange) => HttpResponse
  /** For unexpected errors in a handler; must not throw. */
  readonly handleError: (exchange: Exchange, error: unknown) => Handled
  readonly requestEnded: (ended: EndedRequest) => void
}

const MAXIMUM_HEADER_BYTES = 32 * 1024
// Longer than a terminator's: the portal must not close a connection that the terminator is about to use.
const KEEP_ALIVE_MS = 75_000
const HEADERS_MS = 10_000
const REQUEST_MS = 15_000
// Node's default would let slow clients live for half a minute longer.
const CHECK_MS = 1_000
const IDLE_CHECK_MS = 50

interface Received {
  readonly exchange: Exchange
  readonly response: ServerResponse
}

export function createPortalServer(options: PortalServerOptions): PortalServer {
  const { log, capacity, tally, handle, isNeverShed, overloadedResponse, handleError, requestEnded } = options
  const inFlight = new Set<Promise<void>>()
  let isClosing = false

  const server = createServer(
    {
      IncomingMessage: PortalRequest,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      optimizeEmptyRequests: true,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      // The request guard checks it, with the portal's own headers and a log line.
      requireHostHeader: false,
    },
    (request: PortalRequest, response: ServerResponse) => {
      tally.inFlight++
      queue.add({ exchange: new Exchange(request), response })
    },
  )
  server.maxConnections = capacity.connections
  const queue = createRequestQueue(server, serve)
  const shedding = createLoadShedding({ server, log, shed: tally.shed, queued: queue.size })

  function serve({ exchange, response }: Received): void {
    // The browser disconnected while its request was queued.
    if (exchange.request.socket.destroyed) {
      tally.inFlight--
      return
    }
    if (!isNeverShed(exchange) && shedding.shouldShed(exchange)) {
      write(response, overloadedResponse(exchange))
      tally.inFlight--
      return
    }
    const handled = handleSafely(exchange)
    if (handled instanceof Promise) inFlight.add(finishLater(exchange, response, handled))
    else finish(exchange, response, handled)
  }

  return {
    server,
    async listen(where) {
      // The kernel's backlog absorbs a burst of connections.
      server.listen({ ...where, backlog: capacity.connections })
      await once(server, 'listening')
      const { address, port, family } = server.address() as AddressInfo
      const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
      return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
    },
    async close(graceEnds) {
      isClosing = true
      await graceEnds
      const closed = once(server, 'close')
      server.close()
      // A connection that became idle during the shutdown would otherwise be kept alive.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
      await closed
      clearInterval(idle)
      shedding.stop()
      // An acknowledgement continues after its browser has disconnected.
      await Promise.all(inFlight)
    },
    load: () => ({ ...shedding.figures(), inFlight: inFlight.size }),
  }

  function handleSafely(exchange: Exchange): Handled | Promise<Handled> {
    try {
      return handle(exchange)
    } catch (error) {
      return handleError(exchange, error)
    }
  }

  function finishLater(exchange: Exchange, response: ServerResponse, handled: Promise<Handled>): Promise<void> {
    const done = handled
      .catch((error) => handleError(exchange, error))
      .then((handled) => {
        inFlight.delete(done)
        finish(exchange, response, handled)
      })
    return done
  }

  function finish(exchange: Exchange, response: ServerResponse, handled: Handled): void {
    write(response, handled.response)
    if (response.destroyed) ended(true)
    else if (response.writableLength === 0) ended(false)
    else response.once('close', () => ended(!response.writableFinished))

    function ended(isAborted: boolean): void {
      tally.inFlight--
      const { event } = handled
      requestEnded({ exchange, event, status: response.statusCode, endedAt: performance.now(), isAborted })
    }
  }

  /** Writes head and body at once. */
  function write(response: ServerResponse, { status, reasonPhrase, headers, body, isLast }: HttpResponse): void {
    if (isLast || isClosing) response.shouldKeepAlive = false
    if (reasonPhrase === undefined) {
      response.writeHead(status, headers as string[])
    } else {
      // Node would add these.
      response.removeHeader('date')
      response.removeHeader('connection')
      // Tells the terminator not to reuse this connection.
      const all = isClosing ? [...headers, 'Connection', 'close'] : headers
      response.writeHead(status, reasonPhrase, all as string[])
    }
    const last = body.length - 1
    for (let index = 0; index < last; index++) response.write(body[index], 'latin1')
    response.end(body[last], 'latin1')
  }
}
