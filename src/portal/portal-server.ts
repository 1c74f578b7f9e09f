// The HTTP server under the app: how requests come in, how answers are seen out, and how it stops without losing one.
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Capacity } from './capacity.ts'
import { type Answer, Exchange, type Handler } from './exchange.ts'
import type { Tally } from './ops/tally.ts'
import { type OverloadFigures, watchOverload } from './overload.ts'
import { PortalRequest } from './request-headers.ts'
import type { LogRequest, RequestEnd } from './request-log.ts'
import { takeTurns } from './turns.ts'
import { answerTunnel, answerUnreadable, type LogUnroutable } from './unroutable.ts'

export interface PortalServer {
  readonly server: Server
  /** Gives the address to reach it at. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>
  /**
   * Lets go of whoever is connected: until `graceEnds` every request is served still and its connection ended with the
   * answer. Then accepts no more, and waits for the answers under way and for what they do beyond their browsers.
   */
  close(graceEnds?: Promise<unknown>): Promise<void>
  load(): ServerLoad
}

/** Plain numbers, for whoever watches. */
export interface ServerLoad extends OverloadFigures {
  /** Requests whose answer waits for something. */
  readonly inFlight: number
}

export interface ServerSources {
  readonly log: Logger
  readonly capacity: Capacity
  /** What is in flight and what is turned away is counted here. */
  readonly tally: Pick<Tally, 'inFlight' | 'shed'>
  readonly handle: Handler
  /** A small answer that is made already: 503, and when to try again. */
  readonly answerOverloaded: (exchange: Exchange) => Answer
  /** For what no handler should have thrown. */
  readonly answerError: (exchange: Exchange, error: unknown) => Answer
  readonly logRequest: LogRequest
  readonly logUnroutable: LogUnroutable
}

const MAXIMUM_HEADER_BYTES = 32 * 1024
// Longer than a terminator's, so that it is never we who close a connection that it is about to use.
const KEEP_ALIVE_MILLISECONDS = 75_000
const HEADERS_MILLISECONDS = 10_000
const REQUEST_MILLISECONDS = 15_000
// Slow clients are looked for this often: what Node does unless told would let them be for half a minute longer.
const CHECK_MILLISECONDS = 1_000
const IDLE_CHECK_MILLISECONDS = 50
/** Requests of one connection that wait for an answer before theirs. Browsers and terminators send none ahead. */
const MOST_AHEAD = 16

export function createPortalServer(sources: ServerSources): PortalServer {
  const { log, capacity, tally, handle, answerOverloaded, answerError, logRequest, logUnroutable } = sources
  const inFlight = new Set<Promise<void>>()
  let isClosing = false

  /** Connections that have had their last answer. */
  const ended = new WeakSet<Socket>()
  /** Requests that want another protocol. They are answered in this one, but Node has stopped reading behind them. */
  const upgrades = new WeakSet<PortalRequest>()
  const sentAhead = new WeakMap<Socket, number>()

  const server = createServer(
    {
      IncomingMessage: PortalRequest,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      optimizeEmptyRequests: true,
      headersTimeout: HEADERS_MILLISECONDS,
      requestTimeout: REQUEST_MILLISECONDS,
      connectionsCheckingInterval: CHECK_MILLISECONDS,
      // The gate says so itself.
      requireHostHeader: false,
      shouldUpgradeCallback(request) {
        upgrades.add(request)
        return false
      },
    },
    listener,
  )
  const turns = takeTurns(server, serve)
  const overload = watchOverload({ server, capacity, log, shed: tally.shed, waiting: turns.waiting })
  // Whatever a request expects, it gets its answer at once.
  server.on('checkContinue', listener)
  server.on('checkExpectation', listener)
  server.on('clientError', (error, socket) => answerUnreadable(error, socket as Socket, logUnroutable))
  server.on('connect', (_request, socket) => answerTunnel(socket as Socket, logUnroutable))

  function listener(request: PortalRequest, response: ServerResponse): void {
    if (ended.has(request.socket)) return
    // It has no socket yet where an answer before it is not out.
    if (response.socket === null && isTooFarAhead(request.socket, response)) return
    tally.inFlight++
    turns.take(new Exchange(request, response))
  }

  function serve(exchange: Exchange): void {
    if (isGone(exchange) || turnAway(exchange)) {
      tally.inFlight--
      return
    }
    const answer = handleSafely(exchange)
    if (answer instanceof Promise) inFlight.add(answerLater(exchange, answer))
    else send(exchange, answer)
  }

  return {
    server,
    async listen(where) {
      // A crowd that comes at once waits in the kernel, not at the door.
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
      // A connection whose last answer went out while we were stopping would be kept alive for nothing.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS)
      await closed
      clearInterval(idle)
      overload.stop()
      // A browser that went away does not take its acknowledgement with it.
      await Promise.all(inFlight)
    },
    load: () => ({ ...overload.figures(), inFlight: inFlight.size }),
  }

  /** One read may hold thousands of requests, whose answers would all be kept for whoever takes none of them. */
  function isTooFarAhead(socket: Socket, response: ServerResponse): boolean {
    const ahead = (sentAhead.get(socket) ?? 0) + 1
    if (ahead > MOST_AHEAD) {
      ended.add(socket)
      socket.destroy()
      return true
    }
    sentAhead.set(socket, ahead)
    response.once('close', () => sentAhead.set(socket, (sentAhead.get(socket) as number) - 1))
    return false
  }

  /** While it waited its browser went away, or had its last answer. */
  function isGone({ request: { socket } }: Exchange): boolean {
    return socket.destroyed || ended.has(socket)
  }

  function turnAway(exchange: Exchange): boolean {
    const turnedAway = overload.turnAway(exchange)
    if (turnedAway === undefined) return false
    const answer = answerOverloaded(exchange)
    write(exchange, turnedAway === 'last' ? { ...answer, isLast: true } : answer)
    return true
  }

  function handleSafely(exchange: Exchange): Answer | Promise<Answer> {
    try {
      return handle(exchange)
    } catch (error) {
      return answerError(exchange, error)
    }
  }

  function answerLater(exchange: Exchange, answer: Promise<Answer>): Promise<void> {
    const done = answer
      .catch((error) => answerError(exchange, error))
      .then((answer) => {
        inFlight.delete(done)
        send(exchange, answer)
      })
    return done
  }

  function send(exchange: Exchange, answer: Answer): void {
    write(exchange, answer)
    logOnceOut(exchange)
  }

  /** Head and body in one write. */
  function write({ request, response }: Exchange, { status, reasonPhrase, headers, body, isLast }: Answer): void {
    if (isLast || isClosing || upgrades.has(request)) {
      response.shouldKeepAlive = false
      ended.add(request.socket)
    }
    if (reasonPhrase === undefined) {
      response.writeHead(status, headers as string[])
    } else {
      // Node would add these by itself.
      response.removeHeader('date')
      response.removeHeader('connection')
      // A terminator has to know that it cannot ask again on this connection.
      const all = isClosing ? [...headers, 'Connection', 'close'] : headers
      response.writeHead(status, reasonPhrase, all as string[])
    }
    if (typeof body === 'string') response.end(body, 'latin1')
    else response.end(body)
  }

  /** Once the answer is out, or its browser gone. */
  function logOnceOut(exchange: Exchange): void {
    const { response } = exchange
    if (response.destroyed) isOut('aborted')
    else if (response.writableLength === 0) isOut('answered')
    else response.once('close', () => isOut(response.writableFinished ? 'answered' : 'aborted'))

    function isOut(end: RequestEnd): void {
      tally.inFlight--
      logRequest(exchange, end)
    }
  }
}
