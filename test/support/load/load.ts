// The load generator of benchmarks and fault-injection checks: connections in a closed loop or at a constant rate. A
// measurement (`load`) stops at the first unexpected response; a fault-injection check (`sendLoad`) counts all
// outcomes.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { ConnectionOptions } from 'node:tls'
import { type Client, type ClientFailure, type ClientResponse, createClient, type Target } from './client.ts'
import { orderOf } from './order.ts'
import { closedLoop, constantRate } from './schedule.ts'

export interface MeasuredTarget extends Target {
  /** The expected status of each request. */
  readonly statuses: readonly number[]
  /** The expected body length of each response; -1 accepts the first one, and records it here. */
  readonly lengths: Int32Array
}

export interface LoadPlan {
  readonly connections: number
  readonly seconds: number
  /** Requests per second, whatever the server does; undefined for a closed loop. */
  readonly rate?: number | undefined
  /** Whether the load shares its core with another process. */
  readonly sharesCore?: boolean
  /** The first request, or the first visit; 0 by default. */
  readonly first?: number
}

export interface MeasuredLoad {
  readonly responses: number
  /** From the first request to the last response. */
  readonly seconds: number
  /** Bytes of heads and bodies. */
  readonly bytes: number
  /** Of each response, in microseconds from when its request was due. */
  readonly latency: RecordableHistogram
  /** The longest time without CPU for the load itself, in milliseconds; 0 when it shares its core. */
  readonly halt: number
}

export interface Load {
  readonly port: number
  readonly host?: string
  readonly tls?: ConnectionOptions
  /** Requests per second. */
  readonly rate: number
  readonly seconds: number
  /** The maximum; connections are opened when needed. */
  readonly connections: number
  /** Requested in turn. */
  readonly targets: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds until a request counts as unanswered. */
  readonly patience?: number
}

export interface LoadResult {
  /** By status, or by failure: `broken`, `refused`, `unanswered`, `no connection`. */
  readonly responses: Map<string, number>
  /** Of each response, in microseconds from when its request was sent. */
  readonly latency: RecordableHistogram
  /** Responses per second. */
  readonly perSecond: number
  /** The number of 503 responses with Retry-After. */
  readonly withRetryAfter: number
}

const MEASURED_PATIENCE = 10_000
const PATIENCE = 15_000
/** Milliseconds; a request that has found no free connection by then is not sent. */
const LONGEST_WAIT = 1_000
const TICK = 4
const CHECK_INTERVAL = 100
/** When a check is late by this much, the machine was suspended. */
const LONGEST_STOP = 1_000

/**
 * Keeps up the load for the planned seconds and waits for the pending responses.
 * @param onOpened called before the first request, when all connections are open
 * @throws {Error} at the first response that is unexpected or missing, or that ends the connection
 */
export async function load(
  target: MeasuredTarget,
  plan: LoadPlan,
  onOpened: () => void = () => {},
): Promise<MeasuredLoad> {
  const latency = createHistogram()
  let bytes = 0
  const { seconds, halt } = await run(target, {
    ...plan,
    patience: MEASURED_PATIENCE,
    pace: plan.sharesCore ? 'responses' : 'awake',
    onOpened,
    onResponse(response) {
      verify(target, response)
      bytes += response.bytes
      latency.record(microsecondsSince(response.due))
    },
    onFailure({ index, message }) {
      throw new Error(`request ${index} ${message}`)
    },
  })
  return { responses: latency.count, seconds, bytes, latency, halt }
}

/** Sends requests at a constant rate, whatever happens to earlier ones; counts every outcome. */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const { targets, headers, patience = PATIENCE, rate, seconds, connections, ...where } = load
  const fields = Object.entries({ Host: 'portal.example', ...headers }).map((pair) => `${pair.join(': ')}\r\n`)
  const requests = targets.map((target) => Buffer.from(`GET ${target} HTTP/1.1\r\n${fields.join('')}\r\n`))
  const responses = new Map<string, number>()
  const latency = createHistogram()
  let withRetryAfter = 0
  const count = (what: string) => responses.set(what, (responses.get(what) ?? 0) + 1)
  const { port, host, tls } = where
  const target: Target = { port, connections: 'kept', requests, ...(host && { host }), ...(tls && { tls }) }
  const total = await run(target, {
    ...{ rate, seconds, connections, patience },
    pace: 'ticks',
    onResponse({ status, hasRetryAfter, sentAt }) {
      count(`${status}`)
      if (hasRetryAfter) withRetryAfter++
      latency.record(microsecondsSince(sentAt))
    },
    onFailure: ({ kind }) => count(kind),
    onUnsent: () => count('no connection'),
  })
  return { responses, latency, perSecond: latency.count / total.seconds, withRetryAfter }
}

interface Run extends LoadPlan {
  readonly patience: number
  /** When due requests are sent: in a busy loop, every few milliseconds, or only after a response. */
  readonly pace: 'awake' | 'ticks' | 'responses'
  /** Called when all connections are open; without it they are opened when needed. */
  readonly onOpened?: () => void
  /** An error thrown in this or the next callback ends the run. */
  readonly onResponse: (response: ClientResponse) => void
  readonly onFailure: (failure: ClientFailure) => void
  /** Called for a request that found no connection in time; without it all requests wait for one. */
  readonly onUnsent?: () => void
}

async function run(target: Target, plan: Run): Promise<Pick<MeasuredLoad, 'seconds' | 'halt'>> {
  const { connections, seconds, rate, patience, pace, onUnsent } = plan
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const idle: Client[] = []
  let dispatch = () => {}
  const clients = Array.from({ length: connections }, (_, number) => {
    const handle = (work: () => void, isFree: boolean) => {
      try {
        work()
      } catch (error) {
        reject(error)
        return
      }
      if (isFree) idle.push(client)
      dispatch()
    }
    const events = {
      onResponse: (response: ClientResponse) => handle(() => plan.onResponse(response), true),
      onFailure: (failure: ClientFailure) => handle(() => plan.onFailure(failure), failure.index >= 0),
    }
    const client: Client = createClient(target, events, number)
    return client
  })
  const order = orderOf(target, clients, plan.first ?? 0)
  let isRunning = true
  let ticker: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  try {
    if (plan.onOpened !== undefined) {
      await Promise.race([over, Promise.all(clients.map((client) => client.ready()))])
      plan.onOpened()
    }
    idle.push(...clients)
    const start = performance.now()
    const schedule = rate === undefined ? closedLoop(start, seconds) : constantRate(start, seconds, rate)
    dispatch = () => {
      const now = performance.now()
      for (let place = order.placeOfNext(idle); place !== -1; place = order.placeOfNext(idle)) {
        const due = schedule.take(now)
        if (due === undefined) break
        if (onUnsent !== undefined && now - due > LONGEST_WAIT) onUnsent()
        else order.sendNext(idle.splice(place, 1)[0] as Client, due)
      }
      if (onUnsent !== undefined && now - start >= seconds * 1000 + LONGEST_WAIT) {
        while (schedule.take(now) !== undefined) onUnsent()
      }
      if (idle.length === clients.length && schedule.isOver(performance.now())) resolve()
    }
    let checkedAt = start
    watch = setInterval(() => {
      const now = performance.now()
      const late = now - checkedAt
      checkedAt = now
      if (late > LONGEST_STOP) for (const client of clients) client.forgive(late)
      for (const client of clients) client.giveUp(now - patience)
      dispatch()
    }, CHECK_INTERVAL)
    // A client that sleeps between responses costs the server CPU to wake it: this one never sleeps.
    let halt = 0
    let awakeAt = start
    const stayAwake = () => {
      const now = performance.now()
      halt = Math.max(halt, now - awakeAt)
      awakeAt = now
      if (isRunning) setImmediate(stayAwake)
      dispatch()
    }
    if (pace === 'ticks') ticker = setInterval(() => dispatch(), TICK)
    if (pace === 'awake') stayAwake()
    else dispatch()
    await over
    return { seconds: (performance.now() - start) / 1000, halt }
  } finally {
    isRunning = false
    clearInterval(ticker)
    clearInterval(watch)
    for (const client of clients) client.end()
  }
}

function verify({ statuses, lengths }: MeasuredTarget, { index, status, length }: ClientResponse): void {
  if (status !== statuses[index]) throw new Error(`request ${index} got status ${status}`)
  if (lengths[index] === -1) lengths[index] = length
  const expected = lengths[index]
  if (expected !== length) throw new Error(`request ${index} got ${length} bytes instead of ${expected}`)
}

function microsecondsSince(moment: number): number {
  return Math.max(1, Math.round((performance.now() - moment) * 1000))
}

/** `200: 812, 503: 20`. */
export function listed(responses: ReadonlyMap<string, number>): string {
  return (
    [...responses]
      .sort()
      .map((pair) => pair.join(': '))
      .join(', ') || 'none'
  )
}

/** Milliseconds. */
export function percentile({ latency }: Pick<LoadResult, 'latency'>, share: number): number {
  return latency.count === 0 ? Number.NaN : latency.percentile(share) / 1000
}
