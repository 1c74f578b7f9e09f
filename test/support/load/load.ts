// The load on one server: some connections, kept busy in a closed loop or fed at a constant rate.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { createTalk, type Talk, type Target } from './connection.ts'
import { closedLoop, constantRate } from './schedule.ts'

export interface LoadPlan {
  readonly connections: number
  readonly seconds: number
  /** Requests per second, whatever the server does; undefined: a closed loop. */
  readonly rate?: number | undefined
  /** Whether somebody else needs the core of the load as well. */
  readonly sharesCore?: boolean
}

export interface LoadResult {
  readonly answers: number
  /** From the first request to the last answer. */
  readonly seconds: number
  /** Heads and bodies. */
  readonly bytes: number
  /** Of each answer, in microseconds, from when its request was meant to go out. */
  readonly latency: RecordableHistogram
  /** For how long the load itself did not get a core, at the longest, in milliseconds; 0 where it shares one. */
  readonly halt: number
}

/**
 * Holds the load for the planned seconds and waits for the answers under way.
 * @throws {Error} at the first answer that is not what it has to be, does not come, or ends the connection
 */
export async function load(target: Target, { connections, seconds, rate, sharesCore }: LoadPlan): Promise<LoadResult> {
  const latency = createHistogram()
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const idle: Talk[] = []
  let next = 0
  let bytes = 0
  let dispatch = () => {}

  const talks = Array.from({ length: connections }, () => {
    const talk: Talk = createTalk(target, {
      onAnswer(size, meant) {
        bytes += size
        latency.record(Math.max(1, Math.round((performance.now() - meant) * 1000)))
        idle.push(talk)
        dispatch()
      },
      onFailure: reject,
    })
    return talk
  })
  let isRunning = true
  try {
    await Promise.race([over, Promise.all(talks.map((talk) => talk.ready()))])
    idle.push(...talks)
    const start = performance.now()
    const schedule = rate === undefined ? closedLoop(start, seconds) : constantRate(start, seconds, rate)
    dispatch = () => {
      for (const now = performance.now(); idle.length > 0; ) {
        const meant = schedule.take(now)
        if (meant === undefined) break
        idle.pop()?.ask(next++ % target.requests.length, meant)
      }
      if (idle.length === talks.length && schedule.isOver(performance.now())) resolve()
    }
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
    if (sharesCore) dispatch()
    else stayAwake()
    await over
    return { answers: latency.count, seconds: (performance.now() - start) / 1000, bytes, latency, halt }
  } finally {
    isRunning = false
    for (const talk of talks) talk.end()
  }
}
