// Several processes that share the port. This one, the primary, starts them, starts them again, and hands connections
// out in turn: one that hangs gets no more of them, and none waits in the queue of one that dies, as they would if the
// kernel did it (SO_REUSEPORT). That costs a tenth of a millisecond a connection, and a terminator keeps its connections.
import cluster, { type Worker } from 'node:cluster'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { type DelayReport, REPORT_MILLISECONDS } from './ops/delay-report.ts'
import type { Serving } from './serve.ts'
import type { Hurry, ListeningReport, Orders } from './worker.ts'

/** Workers that listen, as one portal. */
export interface Workers extends Serving {
  /** How long a worker's event loop was held up lately, in milliseconds: the longest of them, one that is silent included. */
  longestDelay(): number
}

export interface WorkersPlan {
  readonly count: number
  readonly orders: Orders
  /** How long a stop may take. */
  readonly drainMilliseconds: number
  readonly log: Logger
}

/** A worker that ended sooner than this after its start has failed. */
const SHORT_LIFE = 60_000
/** That many failures in a row, in one worker's place, and another try follows; one more, and the portal ends. */
const MOST_FAILURES = 6
/** Before the first new try; twice as long before each further one. */
const FIRST_WAIT = 100
/** What a worker that no longer reacts gets beyond the time of a stop. */
const KILL_EXTRA = 2_000

/**
 * Starts all of them; later each one that ends is replaced.
 * @throws {Error} when one ends before it listens
 */
export async function startWorkers({ count, orders, drainMilliseconds, log }: WorkersPlan): Promise<Workers> {
  const running = new Map<Worker, Promise<void>>()
  const heard = new WeakMap<Worker, { readonly delay: number; readonly at: number }>()
  let isStopping = false

  // Beside this file, with the same ending: the image runs both as JavaScript.
  const program = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)
  // First: setting up the primary takes it for good.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: fileURLToPath(program), args: [], serialization: 'advanced' })

  const [address] = await Promise.all(Array.from({ length: count }, startFirst))
  return { address: address as string, close, longestDelay }

  /** Resolves when the first worker in this place listens. */
  async function startFirst(): Promise<string> {
    const startedAt = performance.now()
    const { listens, ended } = start()
    const address = await Promise.race([listens, ended])
    if (address === undefined) throw new Error('a worker ended before it listened')
    void ended.then(() => replace(startedAt))
    return address
  }

  /** Starts one after the other in the place of one that has ended. */
  async function replace(startedAt: number): Promise<void> {
    for (let failures = 0; !isStopping; ) {
      failures = performance.now() - startedAt < SHORT_LIFE ? failures + 1 : 1
      if (failures > MOST_FAILURES) return await giveUp()
      await sleep(FIRST_WAIT * 2 ** (failures - 1))
      if (isStopping) return
      startedAt = performance.now()
      await start().ended
    }
  }

  function start() {
    const worker = cluster.fork()
    const listens = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<void>()
    running.set(worker, ended.promise)
    worker.once('online', () => worker.send(orders))
    worker.on('message', (message: ListeningReport | DelayReport | { readonly kind: undefined }) => {
      if (message.kind === 'listening') listens.resolve(message.address)
      if (message.kind === 'delay') heard.set(worker, { delay: message.milliseconds, at: performance.now() })
    })
    // What cannot be sent to it, because it is ending, is of no use.
    worker.on('error', () => {})
    worker.once('exit', (status, signal) => {
      running.delete(worker)
      if (!isStopping) log.error({ worker: worker.process.pid, status, signal }, 'a worker has ended')
      ended.resolve()
    })
    return { listens: listens.promise, ended: ended.promise }
  }

  function longestDelay(): number {
    const now = performance.now()
    const delays = [...running.keys()].flatMap((worker) => {
      const last = heard.get(worker)
      return last === undefined ? [] : [Math.max(last.delay, now - last.at - REPORT_MILLISECONDS)]
    })
    return Math.max(0, ...delays)
  }

  async function giveUp(): Promise<void> {
    if (isStopping) return
    log.fatal('workers end again and again; stopping')
    await close('SIGTERM')
    process.exit(1)
  }

  async function close(signal: NodeJS.Signals): Promise<void> {
    if (isStopping) {
      for (const worker of running.keys()) worker.send({ kind: 'hurry' } satisfies Hurry)
      return
    }
    isStopping = true
    const tell = (signal: NodeJS.Signals) => {
      for (const worker of running.keys()) worker.process.kill(signal)
    }
    tell(signal)
    const patience = setTimeout(() => tell('SIGKILL'), drainMilliseconds + KILL_EXTRA)
    await Promise.all(running.values())
    clearTimeout(patience)
  }
}
