// The performance targets, and whether this run met them. Every target has a row.
import { BARE, OPENING } from './contenders.ts'
import { count, interval, megabytes, milliseconds, percent } from './format.ts'
import { MOST_BYTES } from './page-weight.ts'
import { PHP, SQUID } from './peers.ts'
import { contendersOf, cpuRatio, figures, findContender, type Results, rateRatio } from './results.ts'
import { INSTALLED } from './starts.ts'
import { estimateOf, type Verdict, verdictOf } from './statistics.ts'

export interface TargetRow {
  readonly target: string
  readonly reached: string
  /** Undefined: not measured, in too few rounds, or this machine cannot tell. */
  readonly verdict: Verdict | undefined
}

/** Undefined when not measured. */
type Reached = Omit<TargetRow, 'target'> | undefined

const MOST_P99 = 5
const MOST_ADDED = 1
const MOST_START = 400
const MOST_AT_REST = 90e6
const REFUSALS = ['malformed', 'forged', 'expired']

export function targetRows(results: Results): TargetRow[] {
  const rows: [target: string, reached: Reached][] = [
    ['`/blocked`: at least 85 % of bare `node:http` that opens `p`', ratio(results, 'blocked', OPENING, 0.85, percent)],
    ['`/blocked`: at least 50 % of bare `node:http`', ratio(results, 'blocked', BARE, 0.5, percent)],
    ["`/blocked`: at least 0.85 times Squid's own deny page", ratio(results, 'blocked', SQUID, 0.85, count)],
    ['`/blocked`: at least twice nginx with PHP-FPM', ratio(results, 'blocked', PHP, 2, count)],
    [`\`/blocked\`: p99 under ${MOST_P99} ms at half the sustained rate`, pacedP99(results)],
    ['a refused payload is no dearer than a page (CPU per request, the dearest refusal)', refusals(results)],
    ['parts of a page: at least 70 % of bare `node:http`', ratio(results, 'subresource', BARE, 0.7, percent)],
    [`the relay adds at most ${MOST_ADDED} ms to the engine's own p50`, relay(results)],
    [`ready within ${MOST_START} ms of its start, as it is installed`, readiness(results)],
    ['at rest under 90 MB, as it is installed', atRest(results)],
    ['a page is at most 14 KB', weight(results)],
  ]
  return rows.map(([target, reached]) => ({ target, ...(reached ?? { reached: 'not measured', verdict: undefined }) }))
}

/** With the result of the limit, which no portal can exceed. */
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

/** With the latency of a bare server at the same rate, which no program can beat. */
function pacedP99(results: Results): Reached {
  const p99 = (name?: string) => {
    const runs = findContender(results, 'blocked', name)?.pacedRuns ?? []
    return runs.length === 0 ? undefined : estimateOf(figures({ runs }, 'p99'))
  }
  const [portal, limit] = [p99(), p99(OPENING)]
  if (portal === undefined) return undefined
  const bound = limit === undefined ? '' : `; the limit at that rate ${interval(limit, milliseconds)}`
  return { reached: `${interval(portal, milliseconds)}${bound}`, verdict: verdictOf(portal, { atMost: MOST_P99 }) }
}

/** The dearest of them, as a part of what a page costs. */
function refusals(results: Results): Reached {
  const costs = results.scenarios
    .filter(({ scenario }) => REFUSALS.includes(scenario.name))
    .flatMap(({ scenario, pairs }) => pairs.map(([refused, page]) => ({ scenario, cost: cpuRatio(page, refused) })))
    .toSorted((one, other) => other.cost.median - one.cost.median)
  const [dearest] = costs
  if (dearest === undefined || costs.length < REFUSALS.length) return undefined
  return {
    reached: `${interval(dearest.cost, percent)} of a page (${dearest.scenario.title})`,
    verdict: verdictOf(dearest.cost, { atMost: 1 }),
  }
}

function relay(results: Results): Reached {
  const [portal, engine] = contendersOf(results, 'relay')
  if (portal === undefined || engine === undefined) return undefined
  const direct = figures(engine, 'p50')
  const added = estimateOf(figures(portal, 'p50').map((p50, round) => p50 - (direct[round] as number)))
  return { reached: interval(added, milliseconds), verdict: verdictOf(added, { atMost: MOST_ADDED }) }
}

function readiness({ starts: measured }: Results): Reached {
  const installed = measured.find(({ name }) => name === INSTALLED)
  if (installed === undefined) return undefined
  const starts = estimateOf(installed.durations)
  return {
    reached: interval(starts, (value) => `${value.toFixed(0)} ms`),
    verdict: verdictOf(starts, { atMost: MOST_START }),
  }
}

function atRest({ starts }: Results): Reached {
  const installed = starts.find(({ name }) => name === INSTALLED)
  if (installed === undefined) return undefined
  const memory = estimateOf(installed.memory)
  return { reached: interval(memory, megabytes), verdict: verdictOf(memory, { atMost: MOST_AT_REST }) }
}

function weight({ weights }: Results): Reached {
  const bodies = weights.filter(({ isLimited }) => isLimited).flatMap(({ bodies }) => bodies)
  if (bodies.length === 0) return undefined
  const heaviest = Math.max(...bodies)
  return {
    reached: `the heaviest has ${(heaviest / 1024).toFixed(1)} KB`,
    verdict: heaviest <= MOST_BYTES ? 'met' : 'missed',
  }
}
