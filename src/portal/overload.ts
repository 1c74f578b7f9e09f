// When a request is turned away unread: it has waited too long for its turn, or there are more connections than can be
// served.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Capacity } from './capacity.ts'
import type { Exchange } from './exchange.ts'
import type { Tally } from './ops/tally.ts'

/** Plain numbers, for whoever watches. */
export interface OverloadFigures {
  /** Open now. */
  readonly connections: number
  /** Requests that were answered 503 unread, since the start. */
  readonly shed: number
  /** Connections that were not even accepted, since the start. */
  readonly dropped: number
}

export interface Overload {
  /** Whether this request, whose turn has come, gets a 503: `last` ends its connection too. Counts it. */
  turnAway(exchange: Exchange): 'last' | 'only' | undefined
  figures(): OverloadFigures
  stop(): void
}

/** Milliseconds. A crowd that comes at once is served; when more come than go, nobody waits longer than this. */
const LONGEST_WAIT = 500
const REPORT_INTERVAL = 1_000
/** What decides whether the process lives has to be answered. */
const ALWAYS = '/healthz'

export interface OverloadSources {
  readonly server: Server
  readonly capacity: Capacity
  readonly log: Logger
  /** Counted here, by reason. */
  readonly shed: Tally['shed']
  /** How many requests wait for their turn. */
  readonly waiting: () => number
}

export function watchOverload({ server, capacity, log, shed, waiting }: OverloadSources): Overload {
  const excess = new Set<Socket>()
  let connections = 0
  let dropped = 0
  const turnedAway = () => shed.connections + shed['event loop']

  server.maxConnections = capacity.connections + capacity.turnedAway
  server.on('drop', () => dropped++)
  server.on('connection', (socket) => {
    connections++
    if (connections > capacity.connections) excess.add(socket)
    socket.once('close', () => {
      connections--
      excess.delete(socket)
    })
  })

  let reported = { shed: turnedAway(), dropped }
  const timer = setInterval(report, REPORT_INTERVAL)
  timer.unref()

  return {
    turnAway({ request: { socket }, path, startedAt }) {
      const isExcess = excess.size > 0 && excess.has(socket)
      if ((!isExcess && performance.now() - startedAt <= LONGEST_WAIT) || path === ALWAYS) return undefined
      shed[isExcess ? 'connections' : 'event loop']++
      return isExcess ? 'last' : 'only'
    },
    figures: () => ({ connections, shed: turnedAway(), dropped }),
    stop: () => clearInterval(timer),
  }

  /** One line a second at most, in place of one for each request. */
  function report(): void {
    const now = { shed: turnedAway(), dropped }
    const since = { shed: now.shed - reported.shed, dropped: now.dropped - reported.dropped }
    if (since.shed === 0 && since.dropped === 0) return
    reported = now
    log.warn({ ...since, connections, waiting: waiting() }, 'overloaded')
  }
}
