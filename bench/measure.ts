// One run of the load against one contender, with its servers' use of CPU and memory.

import { type LoadPlan, load, type MeasuredLoad } from '../test/support/load/load.ts'
import { cpuSeconds, residentBytes } from '../test/support/processes.ts'
import type { Contender, Run } from './contenders.ts'

const LONGEST_HALT_MILLISECONDS = 500
const ATTEMPTS = 3

/** Loads a contender until it has served this many requests or the time is over. */
export async function warmUp(one: Contender, plan: LoadPlan, requests: number, mostSeconds: number): Promise<void> {
  let seconds = 0
  for (let served = 0; served < requests && seconds < mostSeconds; ) {
    const result = await loadOn(one, { ...plan, seconds: Math.min(1, mostSeconds) })
    served += result.responses
    seconds += result.seconds
  }
}

/**
 * Runs the load once, and repeats it when other work on the machine stalled the load itself: such a run does not measure
 * the server.
 * @throws {Error} at an unexpected response
 */
export async function measure(one: Contender, plan: LoadPlan): Promise<Run> {
  for (let attempt = 1; ; attempt++) {
    const { run, halt } = await measureOnce(one, plan)
    if (halt < LONGEST_HALT_MILLISECONDS || attempt === ATTEMPTS) return run
  }
}

async function measureOnce(one: Contender, plan: LoadPlan): Promise<{ readonly run: Run; readonly halt: number }> {
  const pids = one.servers.map(({ pid }) => pid)
  const used = () => pids.map((pid) => cpuSeconds(pid))
  let before: number[] = []
  // Connections are open by then: a handshake costs as much as ten requests.
  const { responses, seconds, bytes, latency, halt } = await loadOn(one, plan, () => {
    before = used()
  })
  const ofEach = used().map((seconds, server) => seconds - (before[server] as number))
  const cpu = ofEach.reduce((sum, one) => sum + one, 0)
  const run = {
    responses,
    rate: responses / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    p999: latency.percentile(99.9) / 1000,
    bytes: bytes / responses,
    cpu: (cpu / responses) * 1e6,
    cpuOfEach: ofEach.map((one) => (one / responses) * 1e6),
    busy: cpu / seconds,
    residentBytes: residentBytes(...pids),
  }
  return { run, halt }
}

async function loadOn({ name, target }: Contender, plan: LoadPlan, onOpened?: () => void): Promise<MeasuredLoad> {
  try {
    return await load(target, plan, onOpened)
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}
