// One run of the load against one contender, with what it cost its servers.

import { type LoadPlan, load, type MeasuredLoad } from '../test/support/load/load.ts'
import { cpuSeconds, residentBytes } from '../test/support/processes.ts'
import type { Contender, Run } from './contenders.ts'

const LONGEST_HALT_MILLISECONDS = 500
const ATTEMPTS = 3

/** Loads a contender until it has served that many requests or the time is over. */
export async function warmUp(one: Contender, plan: LoadPlan, requests: number, mostSeconds: number): Promise<void> {
  let seconds = 0
  for (let answered = 0; answered < requests && seconds < mostSeconds; ) {
    const result = await loadOn(one, { ...plan, seconds: Math.min(1, mostSeconds) })
    answered += result.answers
    seconds += result.seconds
  }
}

/**
 * Runs the load once, and repeats it when the load itself was stalled by other work on the machine: such a run is no
 * measurement of the server.
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
  const cpuBefore = cpuSeconds(...pids)
  const { answers, seconds, bytes, latency, halt } = await loadOn(one, plan)
  const cpu = cpuSeconds(...pids) - cpuBefore
  const run = {
    rate: answers / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    p999: latency.percentile(99.9) / 1000,
    bytes: bytes / answers,
    cpu: (cpu / answers) * 1e6,
    busy: cpu / seconds,
    residentBytes: residentBytes(...pids),
  }
  return { run, halt }
}

async function loadOn({ name, target }: Contender, plan: LoadPlan): Promise<MeasuredLoad> {
  try {
    return await load(target, plan)
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}
