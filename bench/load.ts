// Load in a closed loop: each connection sends its next request once its last one is answered. It speaks HTTP/1.1 over
// bare sockets, because an HTTP client costs more than the servers that are measured.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

export interface LoadPlan {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Whole requests, taken in turn. */
  readonly requests: readonly Buffer[]
  /** The body length that each request's answer must have; 0 takes the first one that comes, and notes it down here. */
  readonly lengths: Uint32Array
}

export interface LoadResult {
  readonly answers: number
  /** From the first request to the last answer. */
  readonly seconds: number
  /** Head and body. */
  readonly bytes: number
  /** Of each answer, in microseconds. */
  readonly latency: RecordableHistogram
}

const READ_BYTES = 64 * 1024
const PATIENCE_SECONDS = 10
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/**
 * Holds the load for the planned seconds and waits for the answers under way.
 * @throws {Error} at the first answer that is not 200 with the right length, does not come, or ends the connection
 */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const latency = createHistogram()
  let next = 0
  let bytes = 0
  let deadline = 0

  const buffer = Buffer.alloc(READ_BYTES)
  const talks = Array.from({ length: plan.connections }, () => openTalk())
  const allEnded = Promise.all(talks.map((talk) => talk.ended))
  await Promise.race([allEnded, Promise.all(talks.map((talk) => once(talk.socket, 'connect')))])
  const start = performance.now()
  deadline = start + plan.seconds * 1000
  for (const talk of talks) talk.ask()
  // A client that sleeps between answers makes the server pay for waking it: this one never sleeps.
  let isBusy = true
  const stayAwake = () => {
    if (isBusy) setImmediate(stayAwake)
  }
  stayAwake()
  try {
    await allEnded
  } finally {
    isBusy = false
    for (const talk of talks) talk.socket.destroy()
  }
  return { answers: latency.count, seconds: (performance.now() - start) / 1000, bytes, latency }

  function openTalk() {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    let asked = 0
    let askedAt = 0
    let head = ''
    let missing = 0

    const socket: Socket = connect({
      host: '127.0.0.1',
      port: plan.port,
      noDelay: true,
      timeout: PATIENCE_SECONDS * 1000,
      onread: {
        buffer,
        callback(size) {
          try {
            read(size)
          } catch (error) {
            reject(error)
            return false
          }
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('timeout', () => reject(new Error(`request ${asked} had no answer within ${PATIENCE_SECONDS} s`)))
    socket.on('close', () => reject(new Error('the server closed a connection')))
    return { socket, ended, ask }

    function ask(): void {
      asked = next++ % plan.requests.length
      askedAt = performance.now()
      socket.write(plan.requests[asked] as Buffer)
    }

    function read(size: number): void {
      bytes += size
      if (missing > 0) missing -= size
      else missing = readHead(size)
      if (missing < 0) throw new Error('an answer is longer than it says')
      if (missing > 0 || head !== '') return
      latency.record(Math.max(1, Math.round((performance.now() - askedAt) * 1000)))
      if (performance.now() < deadline) ask()
      else resolve()
    }

    /** How many bytes of the body are still to come. */
    function readHead(size: number): number {
      const text = head + buffer.toString('latin1', 0, size)
      const end = text.indexOf('\r\n\r\n')
      head = end === -1 ? text : ''
      if (end === -1) return 0
      const status = text.slice(9, 12)
      if (status !== '200') throw new Error(`request ${asked} was answered with ${status}`)
      const length = Number(CONTENT_LENGTH.exec(text)?.[1])
      plan.lengths[asked] ||= length
      if (plan.lengths[asked] !== length) {
        throw new Error(`request ${asked} was answered with ${length} bytes instead of ${plan.lengths[asked]}`)
      }
      return length - (text.length - end - 4)
    }
  }
}
