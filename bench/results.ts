// The results of a run, for the table, the targets and the guard.

import type { Figure } from './contenders.ts'
import { BARE, type Contender } from './contenders.ts'
import type { EngineResult } from './engine/result.ts'
import { interval } from './format.ts'
import type { GatewayResult } from './gateway/result.ts'
import type { Scenario } from './scenarios.ts'
import type { Starts } from './starts.ts'
import { type Estimate, estimateOf, quotients, type Verdict, verdictOf } from './statistics.ts'

export type MeasuredContender = Pick<Contender, 'name' | 'bytesAtRest' | 'runs' | 'pacedRuns'>

export interface ScenarioResult {
  readonly scenario: Pick<Scenario, 'name' | 'title' | 'connections'>
  /** The first contender is the subject of the scenario. */
  readonly contenders: readonly MeasuredContender[]
  readonly pairs: readonly (readonly [MeasuredContender, MeasuredContender])[]
}

export interface Results {
  readonly scenarios: readonly ScenarioResult[]
  readonly starts: readonly Starts[]
  /** Undefined when not measured. */
  readonly engine: EngineResult | undefined
  /** Undefined when not measured. */
  readonly gateway: GatewayResult | undefined
  /** One line for each skipped scenario or contender, with the reason. */
  readonly notes: readonly string[]
}

/** What was reached of a target; undefined when not measured. */
export type Reached =
  | {
      readonly reached: string
      /** Undefined: not measured, too few rounds, or unavailable on this machine. */
      readonly verdict: Verdict | undefined
    }
  | undefined

/** What these values, one per round, reached of a target; undefined without values. */
export function reachedBy(
  values: readonly number[],
  target: Parameters<typeof verdictOf>[1],
  shown: (value: number) => string,
): Reached {
  if (values.length === 0) return undefined
  const estimate = estimateOf(values)
  return { reached: interval(estimate, shown), verdict: verdictOf(estimate, target) }
}

/** The ratio of requests per second to the other's, round by round. */
export function rateRatio(one: MeasuredContender, other: MeasuredContender): Estimate {
  return estimateOf(quotients(figures(one, 'rate'), figures(other, 'rate')))
}

/** The ratio of requests per CPU time to the other's, round by round. */
export function cpuRatio(one: MeasuredContender, other: MeasuredContender): Estimate {
  return estimateOf(quotients(figures(other, 'cpu'), figures(one, 'cpu')))
}

export function figures({ runs }: Pick<MeasuredContender, 'runs'>, figure: Figure): number[] {
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
  if (portal === undefined || bare === undefined) throw new Error('the bare server is missing from the results')
  const byCpu = quotients(figures(bare, 'cpu'), figures(portal, 'cpu'))
  return byCpu.some(Number.isNaN) ? quotients(figures(portal, 'rate'), figures(bare, 'rate')) : byCpu
}
