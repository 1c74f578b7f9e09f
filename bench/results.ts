// The results of a run, for the table, the chart, the targets and the guard.

import type { Run } from './contenders.ts'
import { BARE, type Contender } from './contenders.ts'
import type { PageWeight } from './page-weight.ts'
import type { Scenario } from './scenarios.ts'
import type { Starts } from './starts.ts'
import { type Estimate, estimateOf, quotients } from './statistics.ts'

export type MeasuredContender = Pick<Contender, 'name' | 'bytesAtRest' | 'runs' | 'pacedRuns'>

export interface ScenarioResult {
  readonly scenario: Pick<Scenario, 'name' | 'title' | 'connections'>
  /** The first one is what the scenario is about. */
  readonly contenders: readonly MeasuredContender[]
  readonly pairs: readonly (readonly [MeasuredContender, MeasuredContender])[]
}

export interface Results {
  readonly scenarios: readonly ScenarioResult[]
  readonly starts: readonly Starts[]
  readonly weights: readonly PageWeight[]
  /** One line each: what was left out, and why. */
  readonly notes: readonly string[]
}

/** How many times the requests per second of the other, round by round. */
export function rateRatio(one: MeasuredContender, other: MeasuredContender): Estimate {
  return estimateOf(quotients(figures(one, 'rate'), figures(other, 'rate')))
}

/** How many times the requests for the same CPU time, round by round. */
export function cpuRatio(one: MeasuredContender, other: MeasuredContender): Estimate {
  return estimateOf(quotients(figures(other, 'cpu'), figures(one, 'cpu')))
}

export function figures({ runs }: Pick<MeasuredContender, 'runs'>, figure: keyof Run): number[] {
  return runs.map((run) => run[figure])
}

/** Empty when the scenario was not measured. */
export function contendersOf(results: Results, scenario: string): readonly MeasuredContender[] {
  return results.scenarios.find((result) => result.scenario.name === scenario)?.contenders ?? []
}

export function findContender(results: Results, scenario: string, name?: string): MeasuredContender | undefined {
  const contenders = contendersOf(results, scenario)
  return name === undefined ? contenders[0] : contenders.find((one) => one.name === name)
}

/** Round by round, `/blocked`: the portal by bare `node:http`, by CPU per request; by requests per second where the CPU time is unavailable. */
export function ratiosToBareServer({ pairs }: ScenarioResult): readonly number[] {
  const [portal, bare] = pairs.find(([, other]) => other.name === BARE) ?? []
  if (portal === undefined || bare === undefined) throw new Error('there is no bare server to compare with')
  const byCpu = quotients(figures(bare, 'cpu'), figures(portal, 'cpu'))
  return byCpu.some(Number.isNaN) ? quotients(figures(portal, 'rate'), figures(bare, 'rate')) : byCpu
}
