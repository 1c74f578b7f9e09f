// One run of the load against one server, with what it cost that server.
import { type LoadPlan, type LoadResult, load } from './load.ts'
import { cpuSeconds, residentBytes, type Server } from './servers.ts'

/** A server under measurement, and what was measured so far. */
export interface Contender {
  readonly name: string
  readonly server: Server
  /** The body length that each request's answer must have, where it is known (0: not yet). */
  readonly lengths: Uint32Array
  /** Before any load. */
  readonly bytesAtRest: number
  readonly runs: Run[]
}

export interface Run {
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  /** Milliseconds. */
  readonly p99: number
  /** Of an answer, head and body, on average. */
  readonly bytes: number
  /** Microseconds of the server's CPU time for each request; NaN where nobody tells. */
  readonly cpu: number
  /** How much of the time the server was on a core. */
  readonly busy: number
  /** At the end of the run. */
  readonly residentBytes: number
}

/** What does not depend on the server. */
export type LoadShape = Pick<LoadPlan, 'connections' | 'seconds' | 'requests'>

export function contender(name: string, server: Server, lengths: Uint32Array): Contender {
  return { name, server, lengths, bytesAtRest: residentBytes(server.pid), runs: [] }
}

/** Keeps a server busy until it has answered that many requests. */
export async function warmUp(one: Contender, shape: LoadShape, requests: number): Promise<void> {
  for (let answered = 0; answered < requests; ) answered += (await loadOn(one, { ...shape, seconds: 1 })).answers
}

/** @throws {Error} when an answer is not what it has to be */
export async function measure(one: Contender, shape: LoadShape): Promise<Run> {
  const { pid } = one.server
  const cpuBefore = cpuSeconds(pid)
  const { answers, seconds, bytes, latency } = await loadOn(one, shape)
  const cpu = cpuSeconds(pid) - cpuBefore
  return {
    rate: answers / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    bytes: bytes / answers,
    cpu: (cpu / answers) * 1e6,
    busy: cpu / seconds,
    residentBytes: residentBytes(pid),
  }
}

async function loadOn({ name, server, lengths }: Contender, shape: LoadShape): Promise<LoadResult> {
  try {
    return await load({ ...shape, port: server.port, lengths })
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
}
