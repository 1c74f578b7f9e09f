// When a request is turned away unread: the event loop no longer keeps up, or there are more connections than can be
// served. Who decides is a timer and the coming and going of connections; a request reads one boolean.
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
  /** Milliseconds by which the event loop was late, lately. */
  readonly lag: number
  /** Requests that were answered 503 unread, since the start. */
  readonly shed: number
  /** Connections that were not even accepted, since the start. */
  readonly dropped: number
}

export interface Overload {
  /** Whether `turnAway` has to be asked. */
  readonly isPossible: boolean
  /** Whether this request gets a 503: `last` ends its connection too. Counts it. */
  turnAway(exchange: Exchange): 'last' | 'only' | undefined
  figures(): OverloadFigures
  stop(): void
}

const SAMPLE = 50
/** A request that waits longer than this for its turn is not served well any more. */
const LAG_LIMIT = 150
// A pause of the machine, or garbage collection, is late once.
const LATE_SAMPLES = 2
// As many requests at most can be waiting: fewer are no reason to be late.
const MANY_CONNECTIONS = 64
const REPORT_SAMPLES = 20
/** What decides whether the process lives has to be answered. */
const ALWAYS = '/healthz'

export interface OverloadSources {
  readonly server: Server
  readonly capacity: Capacity
  readonly log: Logger
  /** Counted here, by reason. */
  readonly shed: Tally['shed']
  /** How many connections have a request that waits for something else than its turn. */
  readonly inFlight: () => number
}

export function watchOverload({ server, capacity, log, shed, inFlight }: OverloadSources): Overload {
  const excess = new Set<Socket>()
  let connections = 0
  let isBehind = false
  let lateSamples = 0
  let lag = 0
  let dropped = 0
  const overload = {
    isPossible: false,
    turnAway({ request: { socket }, path }: Exchange) {
      const isExcess = excess.has(socket)
      if ((!isExcess && !isBehind) || path === ALWAYS) return undefined
      shed[isExcess ? 'connections' : 'event loop']++
      return isExcess ? 'last' : 'only'
    },
    figures: () => ({ connections, lag, shed: turnedAway(), dropped }),
    stop: () => clearInterval(timer),
  } as const satisfies Overload
  const turnedAway = () => shed.connections + shed['event loop']
  const state: { isPossible: boolean } = overload
  const decide = () => {
    state.isPossible = isBehind || excess.size > 0
  }

  server.maxConnections = capacity.connections + capacity.turnedAway
  server.on('drop', () => dropped++)
  server.on('connection', (socket) => {
    connections++
    if (connections > capacity.connections) {
      excess.add(socket)
      decide()
    }
    socket.once('close', () => {
      connections--
      if (excess.delete(socket)) decide()
    })
  })

  let dueAt = performance.now() + SAMPLE
  let samples = 0
  let reported = { shed: turnedAway(), dropped }
  const timer = setInterval(() => {
    const now = performance.now()
    lag = Math.max(0, now - dueAt)
    dueAt = now + SAMPLE
    lateSamples = lag > LAG_LIMIT && connections - inFlight() >= MANY_CONNECTIONS ? lateSamples + 1 : 0
    isBehind = lateSamples >= LATE_SAMPLES
    decide()
    if (++samples % REPORT_SAMPLES === 0) report()
  }, SAMPLE)
  timer.unref()

  /** One line a second at most, in place of one for each request. */
  function report(): void {
    const now = { shed: turnedAway(), dropped }
    const since = { shed: now.shed - reported.shed, dropped: now.dropped - reported.dropped }
    if (since.shed === 0 && since.dropped === 0) return
    reported = now
    log.warn({ ...since, connections, lag: Math.round(lag) }, 'overloaded')
  }

  return overload
}
