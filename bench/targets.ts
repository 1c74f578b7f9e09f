// The performance targets, and whether this run met them. Every target has a row.
import { BARE, OPENING } from './contenders.ts'
import { engineRows } from './engine/targets.ts'
import { interval, megabytes, milliseconds, percent } from './format.ts'
import { gatewayRows } from './gateway/targets.ts'
import { contendersOf, cpuRatio, figures, findContender, type Reached, type Results, rateRatio } from './results.ts'
import { INSTALLED } from './starts.ts'
import { estimateOf, verdictOf } from './statistics.ts'

export interface TargetRow extends NonNullable<Reached> {
  readonly target: string
}

const MAX_P99 = 5
const MAX_ADDED = 1
const MAX_START = 400
const MAX_WITHOUT_LOAD = 90e6
const REFUSALS = ['malformed', 'forged', 'expired']

/** All but the gateway's. */
export function targetRows(results: Results): TargetRow[] {
  const rows: [target: string, reached: Reached][] = [
    ['`/blocked`: at least 85 % of bare `node:http` that opens `p`', ratio(results, 'blocked', OPENING, 0.85, percent)],
    ['`/blocked`: at least 50 % of bare `node:http`', ratio(results, 'blocked', BARE, 0.5, percent)],
    [`\`/blocked\`: p99 under ${MAX_P99} ms at half the sustained rate`, pacedP99(results)],
    ['a refused payload needs no more CPU per request than a page (the most expensive refusal)', refusals(results)],
    ['parts of a page: at least 70 % of bare `node:http`', ratio(results, 'subresource', BARE, 0.7, percent)],
    [`the relay adds at most ${MAX_ADDED} ms to the engine's own p50`, relay(results)],
    [`ready within ${MAX_START} ms of its start, as installed`, readiness(results)],
    ['without load under 90 MB, as installed', memoryWithoutLoad(results)],
    ...engineRows(results),
  ]
  return whole(rows)
}

export function gatewayTargetRows({ gateway }: Pick<Results, 'gateway'>): TargetRow[] {
  return whole(gatewayRows(gateway))
}

function whole(rows: readonly (readonly [target: string, reached: Reached])[]): TargetRow[] {
  return rows.map(([target, reached]) => ({ target, ...(reached ?? { reached: 'not measured', verdict: undefined }) }))
}

/** Includes the result of the limit, which no portal can exceed. */
function ratio(
  results: Results,
  scenario: string,
  name: string,
  least: number,
  shown: (value: number) => string,
): Reached {
  const portal = findContender(results, scenario)
  const other = findContender(results, scenario, name)
  if (portal === undefined || other === undefined) return undefined
  const reached = rateRatio(portal, other)
  const cpu = cpuRatio(portal, other)
  const limit = findContender(results, scenario, OPENING)
  const bound = limit === undefined || limit === other ? '' : `; the limit ${shown(rateRatio(limit, other).median)}`
  return {
    reached: `${interval(reached, shown)}; by CPU ${shown(cpu.median)}${bound}`,
    verdict: verdictOf(reached, { atLeast: least }),
  }
}

/** Includes the latency of a bare server at the same rate, which no program can beat. */
function pacedP99(results: Results): Reached {
  const p99 = (name?: string) => {
    const runs = findContender(results, 'blocked', name)?.pacedRuns ?? []
    return runs.length === 0 ? undefined : estimateOf(figures({ runs }, 'p99'))
  }
  const [portal, limit] = [p99(), p99(OPENING)]
  if (portal === undefined) return undefined
  const bound = limit === undefined ? '' : `; the limit at that rate ${interval(limit, milliseconds)}`
  return { reached: `${interval(portal, milliseconds)}${bound}`, verdict: verdictOf(portal, { atMost: MAX_P99 }) }
}

/** The most expensive rejection, as a share of a page's cost. */
function refusals(results: Results): Reached {
  const costs = results.scenarios
    .filter(({ scenario }) => REFUSALS.includes(scenario.name))
    .flatMap(({ scenario, pairs }) => pairs.map(([refused, page]) => ({ scenario, cost: cpuRatio(page, refused) })))
    .toSorted((one, other) => other.cost.median - one.cost.median)
  const [mostExpensive] = costs
  if (mostExpensive === undefined || costs.length < REFUSALS.length) return undefined
  return {
    reached: `${interval(mostExpensive.cost, percent)} of a page (${mostExpensive.scenario.title})`,
    verdict: verdictOf(mostExpensive.cost, { atMost: 1 }),
  }
}

function relay(results: Results): Reached {
  const [portal, engine] = contendersOf(results, 'relay')
  if (portal === undefined || engine === undefined) return undefined
  const direct = figures(engine, 'p50')
  const added = estimateOf(figures(portal, 'p50').map((p50, round) => p50 - (direct[round] as number)))
  return { reached: interval(added, milliseconds), verdict: verdictOf(added, { atMost: MAX_ADDED }) }
}

function readiness({ starts: measured }: Results): Reached {
  const installed = measured.find(({ name }) => name === INSTALLED)
  if (installed === undefined) return undefined
  const starts = estimateOf(installed.durations)
  return {
    reached: interval(starts, (value) => `${value.toFixed(0)} ms`),
    verdict: verdictOf(starts, { atMost: MAX_START }),
  }
}

function memoryWithoutLoad({ starts }: Results): Reached {
  const installed = starts.find(({ name }) => name === INSTALLED)
  if (installed === undefined) return undefined
  const memory = estimateOf(installed.memory)
  return { reached: interval(memory, megabytes), verdict: verdictOf(memory, { atMost: MAX_WITHOUT_LOAD }) }
}
