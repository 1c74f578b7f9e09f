// Load shedding: a request that was queued for too long gets a 503 without being handled. The number of connections is
// limited by `server.maxConnections` and, before that, by the terminator.
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import type { Exchange } from './exchange.ts'

/** For monitoring. */
export interface SheddingFigures {
  /** Requests that got a 503 without being handled, since the start. */
  readonly shed: number
  /** Connections closed because of `server.maxConnections`, since the start. */
  readonly dropped: number
}

/** Counted here, for the metrics. */
export interface ShedCounts {
  'event loop': number
}

export interface LoadShedding {
  /** Whether this request was queued for too long; if so, counts it. */
  shouldShed(exchange: Exchange): boolean
  figures(): SheddingFigures
  stop(): void
}

const QUEUE_TIMEOUT_MS = 500
const REPORT_INTERVAL_MS = 1_000

export interface LoadSheddingOptions {
  readonly server: Server
  readonly log: Logger
  readonly shed: ShedCounts
  /** How many requests are queued. */
  readonly queued: () => number
}

export function createLoadShedding({ server, log, shed, queued }: LoadSheddingOptions): LoadShedding {
  let dropped = 0
  server.on('drop', () => dropped++)

  let reported = { shed: shed['event loop'], dropped }
  const timer = setInterval(report, REPORT_INTERVAL_MS)
  timer.unref()

  return {
    shouldShed({ receivedAt }) {
      if (performance.now() - receivedAt <= QUEUE_TIMEOUT_MS) return false
      shed['event loop']++
      return true
    },
    figures: () => ({ shed: shed['event loop'], dropped }),
    stop: () => clearInterval(timer),
  }

  /** At most one line per second, not one per request. */
  function report(): void {
    const now = { shed: shed['event loop'], dropped }
    const since = { shed: now.shed - reported.shed, dropped: now.dropped - reported.dropped }
    if (since.shed === 0 && since.dropped === 0) return
    reported = now
    log.warn({ ...since, queued: queued() }, 'overloaded')
  }
}
