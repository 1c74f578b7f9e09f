// The load of benchmarks, fault proofs and soaks: some connections, kept busy in a closed loop or fed at a constant rate.
// A measurement (`load`) ends at the first response that is not as expected; a fault proof (`sendLoad`) counts them all.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { ConnectionOptions } from 'node:tls'
import { type Client, type ClientFailure, type ClientResponse, createClient, type Target } from './client.ts'
import { closedLoop, constantRate } from './schedule.ts'

export interface MeasuredTarget extends Target {
  /** What each request is answered with. */
  readonly statuses: readonly number[]
  /** The body length that each answer must have; -1 accepts the first one, and records it here. */
  readonly lengths: Int32Array
}

export interface LoadPlan {
  readonly connections: number
  readonly seconds: number
  /** Requests per second, whatever the server does; undefined: a closed loop. */
  readonly rate?: number | undefined
  /** Whether another process needs the core of the load as well. */
  readonly sharesCore?: boolean
}

export interface MeasuredLoad {
  readonly answers: number
  /** From the first request to the last answer. */
  readonly seconds: number
  /** Heads and bodies. */
  readonly bytes: number
  /** Of each answer, in microseconds, from when its request was due. */
  readonly latency: RecordableHistogram
  /** For how long the load itself did not get a core, at the longest, in milliseconds; 0 where it shares one. */
  readonly halt: number
}

export interface Load {
  readonly port: number
  readonly host?: string
  readonly tls?: ConnectionOptions
  /** Requests per second. */
  readonly rate: number
  readonly seconds: number
  /** At once, at most; opened when they are needed. */
  readonly connections: number
  /** Requested in turn. */
  readonly targets: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds until a request counts as unanswered. */
  readonly patience?: number
}

export interface LoadResult {
  /** By status, or what became of the request: `broken`, `refused`, `unanswered`, `no connection`. */
  readonly answers: Map<string, number>
  /** Of each answer, in microseconds, from when its request was sent. */
  readonly latency: RecordableHistogram
  /** Answers per second. */
  readonly perSecond: number
  /** Of those with 503, how many had a Retry-After. */
  readonly withRetryAfter: number
}

const MEASURED_PATIENCE = 10_000
const PATIENCE = 15_000
/** Milliseconds; a request that has found no free connection by then is not sent. */
const LONGEST_WAIT = 1_000
const TICK = 4
const LOOK = 100
/** A look that is late by that much: the machine was stopped. */
const LONGEST_STOP = 1_000

/**
 * Keeps up the load for the planned seconds and waits for the pending answers.
 * @throws {Error} at the first answer that is not what it must be, does not come, or ends the connection
 */
export async function load(target: MeasuredTarget, plan: LoadPlan): Promise<MeasuredLoad> {
  const latency = createHistogram()
  let bytes = 0
  const { seconds, halt } = await run(target, {
    ...plan,
    patience: MEASURED_PATIENCE,
    pace: plan.sharesCore ? 'answers' : 'awake',
    isOpenedFirst: true,
    onResponse(response) {
      verify(target, response)
      bytes += response.bytes
      latency.record(microsecondsSince(response.due))
    },
    onFailure({ index, message }) {
      throw new Error(`request ${index} ${message}`)
    },
  })
  return { answers: latency.count, seconds, bytes, latency, halt }
}

/** Requests are due at a rate, whatever became of those before; every outcome is counted. */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const { targets, headers, patience = PATIENCE, rate, seconds, connections, ...where } = load
  const fields = Object.entries({ Host: 'portal.example', ...headers }).map((pair) => `${pair.join(': ')}\r\n`)
  const requests = targets.map((target) => Buffer.from(`GET ${target} HTTP/1.1\r\n${fields.join('')}\r\n`))
  const answers = new Map<string, number>()
  const latency = createHistogram()
  let withRetryAfter = 0
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1)
  const { port, host, tls } = where
  const target: Target = { port, connections: 'kept', requests, ...(host && { host }), ...(tls && { tls }) }
  const total = await run(target, {
    ...{ rate, seconds, connections, patience },
    pace: 'ticks',
    isOpenedFirst: false,
    onResponse({ status, hasRetryAfter, sentAt }) {
      count(`${status}`)
      if (hasRetryAfter) withRetryAfter++
      latency.record(microsecondsSince(sentAt))
    },
    onFailure: ({ kind }) => count(kind),
    onUnsent: () => count('no connection'),
  })
  return { answers, latency, perSecond: latency.count / total.seconds, withRetryAfter }
}

interface Run extends LoadPlan {
  readonly patience: number
  /** When due requests are looked for: all the time, every few milliseconds, or only after an answer. */
  readonly pace: 'awake' | 'ticks' | 'answers'
  readonly isOpenedFirst: boolean
  /** An error in this or the next one ends the run. */
  readonly onResponse: (response: ClientResponse) => void
  readonly onFailure: (failure: ClientFailure) => void
  /** For a request that found no connection in time; without it all wait for one. */
  readonly onUnsent?: () => void
}

async function run(target: Target, plan: Run): Promise<Pick<MeasuredLoad, 'seconds' | 'halt'>> {
  const { connections, seconds, rate, patience, pace, onUnsent } = plan
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const idle: Client[] = []
  let next = 0
  let dispatch = () => {}
  const clients = Array.from({ length: connections }, () => {
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
    const client: Client = createClient(target, {
      onResponse: (response) => handle(() => plan.onResponse(response), true),
      onFailure: (failure) => handle(() => plan.onFailure(failure), failure.index >= 0),
    })
    return client
  })
  let isRunning = true
  let ticker: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  try {
    if (plan.isOpenedFirst) await Promise.race([over, Promise.all(clients.map((client) => client.ready()))])
    idle.push(...clients)
    const start = performance.now()
    const schedule = rate === undefined ? closedLoop(start, seconds) : constantRate(start, seconds, rate)
    dispatch = () => {
      const now = performance.now()
      while (idle.length > 0) {
        const due = schedule.take(now)
        if (due === undefined) break
        if (onUnsent !== undefined && now - due > LONGEST_WAIT) onUnsent()
        else idle.pop()?.send(next++ % target.requests.length, due)
      }
      if (onUnsent !== undefined && now - start >= seconds * 1000) {
        while (schedule.take(now) !== undefined) onUnsent()
      }
      if (idle.length === clients.length && schedule.isOver(performance.now())) resolve()
    }
    let lookedAt = start
    watch = setInterval(() => {
      const now = performance.now()
      const late = now - lookedAt
      lookedAt = now
      if (late > LONGEST_STOP) for (const client of clients) client.forgive(late)
      for (const client of clients) client.giveUp(now - patience)
      dispatch()
    }, LOOK)
    // A client that sleeps between answers makes the server pay for waking it: this one never sleeps.
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
  if (status !== statuses[index]) throw new Error(`request ${index} was answered with ${status}`)
  if (lengths[index] === -1) lengths[index] = length
  const expected = lengths[index]
  if (expected !== length) throw new Error(`request ${index} was answered with ${length} bytes instead of ${expected}`)
}

function microsecondsSince(moment: number): number {
  return Math.max(1, Math.round((performance.now() - moment) * 1000))
}

/** `200: 812, 503: 20`. */
export function listed(answers: ReadonlyMap<string, number>): string {
  return (
    [...answers]
      .sort()
      .map((pair) => pair.join(': '))
      .join(', ') || 'none'
  )
}

/** Milliseconds. */
export function percentile({ latency }: Pick<LoadResult, 'latency'>, share: number): number {
  return latency.count === 0 ? Number.NaN : latency.percentile(share) / 1000
}
