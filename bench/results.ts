// What a run has come to, for the table, the picture, the targets and the guard.
import type { ColdStarts } from './cold-start.ts'
import { BARE, type Contender } from './contenders.ts'
import type { Run } from './measure.ts'
import type { PageWeight } from './page-weight.ts'
import type { Scenario } from './scenarios.ts'
import { quotients, type Spread, spreadOf } from './statistics.ts'

export type MeasuredContender = Pick<Contender, 'name' | 'bytesAtRest' | 'runs' | 'pacedRuns'>

export interface ScenarioResult {
  readonly scenario: Pick<Scenario, 'name' | 'title' | 'connections'>
  /** The first one is what the scenario is about. */
  readonly contenders: readonly MeasuredContender[]
  readonly pairs: readonly (readonly [MeasuredContender, MeasuredContender])[]
}

export interface Results {
  readonly scenarios: readonly ScenarioResult[]
  readonly coldStarts: readonly ColdStarts[]
  readonly weights: readonly PageWeight[]
  /** Whether two workers had a core each, and the load a third. */
  readonly hasCoresForTwo: boolean
  /** One line each: what was left out, and why. */
  readonly notes: readonly string[]
}

/** How many times the requests per second of the other, round by round. */
export function rateRatio(one: MeasuredContender, other: MeasuredContender): Spread {
  return spreadOf(quotients(figures(one, 'rate'), figures(other, 'rate')))
}

/** How many times the requests for the same CPU time, round by round. */
export function cpuRatio(one: MeasuredContender, other: MeasuredContender): Spread {
  return spreadOf(quotients(figures(other, 'cpu'), figures(one, 'cpu')))
}

export function figures({ runs }: Pick<MeasuredContender, 'runs'>, figure: keyof Run): number[] {
  return runs.map((run) => run[figure])
}

/** None where the scenario was not measured. */
export function contendersOf(results: Results, scenario: string): readonly MeasuredContender[] {
  return results.scenarios.find((result) => result.scenario.name === scenario)?.contenders ?? []
}

export function findContender(results: Results, scenario: string, name?: string): MeasuredContender | undefined {
  const contenders = contendersOf(results, scenario)
  return name === undefined ? contenders[0] : contenders.find((one) => one.name === name)
}

/** `/blocked`: the portal by bare `node:http`, by CPU per request; by requests per second where nobody tells the CPU time. */
export function ratioToBareServer(scenarios: Results['scenarios']): Spread | undefined {
  const blocked = scenarios.find(({ scenario }) => scenario.name === 'blocked')
  const [portal, bare] = blocked?.pairs.find(([, other]) => other.name === BARE) ?? []
  if (portal === undefined || bare === undefined) return undefined
  const byCpu = cpuRatio(portal, bare)
  return Number.isNaN(byCpu.median) ? rateRatio(portal, bare) : byCpu
}
