// The order of a run: the contenders of a scenario alternate, because a machine's speed changes from minute to minute.
// Only ratios within one round are meaningful.

import type { LoadPlan } from '../test/support/load/load.ts'
import type { Run } from './contenders.ts'
import { type Contender, OPENING } from './contenders.ts'
import type { BenchEnvironment } from './environment.ts'
import { measure, warmUp } from './measure.ts'
import type { ScenarioResult } from './results.ts'
import { inTurn } from './rounds.ts'
import type { Scenario, SetupOptions } from './scenarios.ts'
import { median } from './statistics.ts'

export interface RunOptions {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly quick: boolean
}

// A server gets faster up to about this number of requests, while its code is compiled on the same core.
export const WARM_UP_REQUESTS = 70_000
export const WARM_UP_SECONDS = 6
// Refills the core's caches, which the other contenders have evicted.
export const SETTLING_SECONDS = 0.2
// Sends every request once, which records the lengths of the responses.
const QUICK_WARM_UP_SECONDS = 0.5

/** @throws {Error} at an unexpected response */
export async function runScenario(
  scenario: Scenario,
  environment: BenchEnvironment,
  options: RunOptions,
  log: (text: string) => void,
): Promise<ScenarioResult> {
  const { seconds, rounds, quick } = options
  const { connections = options.connections, sharesCore = false } = scenario
  const plan: LoadPlan = { connections, seconds, sharesCore }
  const setupOptions: SetupOptions = {
    isQuick: quick,
    warm: (one) => warmUp(one, plan, WARM_UP_REQUESTS, quick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS),
  }
  log(`${scenario.name}: warming up`)
  const { contenders, pairs, servers } = await scenario.setUp(environment, setupOptions)
  for (let round = 1; round <= rounds; round++) {
    log(`${scenario.name}: round ${round} of ${rounds}`)
    for (const one of inTurn(contenders, round)) one.runs.push(await measureSettled(one, plan))
  }
  if (scenario.isPaced) {
    log(`${scenario.name}: at half the rate`)
    await pace(contenders, plan, rounds)
  }
  for (const server of servers) await server.stop()
  return { scenario, contenders, pairs }
}

/** Measures the portal at half its rate, alternating with the limit, whose latency is the machine's. */
async function pace(
  [portal, ...others]: readonly [Contender, ...Contender[]],
  plan: LoadPlan,
  rounds: number,
): Promise<void> {
  const rate = median(portal.runs.map((run) => run.rate)) / 2
  const limit = others.filter(({ name }) => name === OPENING)
  for (let round = 1; round <= rounds; round++) {
    for (const one of inTurn([portal, ...limit], round))
      one.pacedRuns.push(await measureSettled(one, { ...plan, rate }))
  }
}

async function measureSettled(one: Contender, plan: LoadPlan): Promise<Run> {
  await warmUp(one, plan, Infinity, Math.min(SETTLING_SECONDS, plan.seconds))
  return await measure(one, plan)
}
