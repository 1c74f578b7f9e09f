import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run } from '../../bench/contenders.ts'
import { BARE, OPENING } from '../../bench/contenders.ts'
import { roundsOf } from '../../bench/record.ts'
import { report, summary } from '../../bench/report.ts'
import { type MeasuredContender, type Results, rateRatio, ratiosToBareServer } from '../../bench/results.ts'
import { INSTALLED } from '../../bench/starts.ts'
import { estimateOf, LEAST_ROUNDS } from '../../bench/statistics.ts'
import { targetRows } from '../../bench/targets.ts'
import { run } from './run.ts'

/** 24 rounds that repeat these in turn. */
function rounds<Round>(some: readonly Round[]): Round[] {
  return some.length === 0 ? [] : Array.from({ length: LEAST_ROUNDS }, (_, index) => some[index % some.length] as Round)
}

function measured(name: string, runs: readonly Partial<Run>[], pacedRuns: readonly Partial<Run>[] = []) {
  return { name, bytesAtRest: 80e6, runs: rounds(runs).map(run), pacedRuns: rounds(pacedRuns).map(run) }
}

// The machine is half as fast in the second round.
const portal = measured('portal', [{ rate: 900 }, { rate: 440, cpu: 100 }], [{ p99: 4 }, { p99: 4.5 }])
const opening = measured(
  OPENING,
  [
    { rate: 1000, cpu: 40 },
    { rate: 500, cpu: 80 },
  ],
  [{ p99: 3 }, { p99: 4 }],
)
const bare = measured(BARE, [
  { rate: 2000, cpu: 20 },
  { rate: 1000, cpu: 40 },
])
// Every second round would meet the target of a half.
const other = measured(BARE, [
  { rate: 1500, cpu: 20 },
  { rate: 1000, cpu: 40 },
])

function scenario(name: string, ...contenders: [MeasuredContender, ...MeasuredContender[]]) {
  const [first, ...others] = contenders
  return {
    scenario: { name, title: `\`/${name}\`` },
    contenders,
    pairs: others.map((other) => [first, other] as const),
  }
}

const RESULTS: Results = {
  scenarios: [
    scenario('blocked', portal, opening, bare),
    scenario('malformed', measured('refusing', [{ cpu: 20 }]), measured('page', [{ cpu: 50 }])),
    scenario('forged', measured('refusing', [{ cpu: 55 }]), measured('page', [{ cpu: 50 }])),
    scenario('expired', measured('refusing', [{ cpu: 50 }]), measured('page', [{ cpu: 50 }])),
    { ...scenario('relay', measured('portal', [{ p50: 3 }]), measured('engine', [{ p50: 2.2 }])), pairs: [] },
  ],
  starts: [
    { name: INSTALLED, durations: rounds([390, 380]), memory: rounds([89e6, 91e6]) },
    { name: 'portal with a policy', durations: rounds([490, 480]), memory: rounds([110e6]) },
  ],
  engine: undefined,
  gateway: undefined,
  notes: ['Skipped: something.'],
}

function row(results: Results, text: string) {
  const found = targetRows(results).find(({ target }) => target.includes(text))
  assert.ok(found !== undefined, text)
  return found
}

test('each target is met, open or missed by the interval of its rounds', () => {
  const open = { ...RESULTS, scenarios: [scenario('blocked', portal, other)] }
  for (const [results, target, expected, verdict] of [
    [RESULTS, 'at least 85 %', /^89 % \(88–90\); by CPU 80 %$/, 'met'],
    [RESULTS, 'at least 50 %', /^45 % /, 'missed'],
    [open, 'at least 50 %', /^52 % \(44–60\); by CPU 40 %$/, 'open'],
    [RESULTS, 'half the sustained rate', /^4\.25 ms \(4\.00–4\.50\); the limit at that rate 3\.50 ms /, 'met'],
    [RESULTS, 'refused', /^110 % .* of a page \(`\/forged`\)$/, 'missed'],
    [RESULTS, 'relay', /^0\.80 ms/, 'met'],
    [RESULTS, 'ready', /^385 ms /, 'met'],
    [RESULTS, 'without load', /^90 MB \(89–91\)$/, 'open'],
  ] as const) {
    const { reached, verdict: actual } = row(results, target)
    assert.match(reached, expected, target)
    assert.equal(actual, verdict, target)
  }
})

test('too few rounds show a figure and no verdict', () => {
  const few = (one: MeasuredContender) => ({ ...one, runs: one.runs.slice(1) })
  const results = { ...RESULTS, scenarios: [scenario('blocked', few(portal), few(opening), few(bare))] }
  const { reached, verdict } = row(results, 'at least 85 %')
  assert.match(reached, /^88 %/)
  assert.equal(verdict, undefined)
})

test('what was not measured has no verdict', () => {
  const nothing: Results = { scenarios: [], starts: [], engine: undefined, gateway: undefined, notes: [] }
  for (const { reached, verdict } of targetRows(nothing)) {
    assert.equal(reached, 'not measured')
    assert.equal(verdict, undefined)
  }
  assert.doesNotMatch(report(nothing), /missed|NaN|Infinity/)
})

test('the guard’s ratio is by CPU time if that is available', () => {
  const ratios = (result: (typeof RESULTS.scenarios)[number]) => estimateOf(ratiosToBareServer(result)).median
  assert.equal(ratios(scenario('blocked', portal, bare)), 0.4)
  const unknown = (one: MeasuredContender) => ({ ...one, runs: one.runs.map((run) => ({ ...run, cpu: Number.NaN })) })
  assert.equal(ratios(scenario('blocked', unknown(portal), unknown(bare))), 0.445)
  assert.throws(() => ratiosToBareServer(scenario('blocked', portal)), /the bare server is missing/)
})

test('a ratio and its interval can be recomputed from the recorded rounds', () => {
  const [blocked] = JSON.parse(JSON.stringify(roundsOf(RESULTS))).scenarios
  const [ours, limit] = blocked.contenders as MeasuredContender[]
  assert.ok(ours !== undefined && limit !== undefined)
  assert.deepEqual(rateRatio(ours, limit), rateRatio(portal, opening))
})

test('the report and the document have a row for each scenario, and a missed target stands out', () => {
  const text = report(RESULTS)
  assert.match(
    text,
    /\| `\/blocked`: at least 50 % of bare `node:http` \| 45 % .*; the limit 50 % \| \*\*missed\*\* \|/,
  )
  assert.match(text, /^- Skipped: something\.$/m)
  const [, rows = ''] = summary(RESULTS).split('### Main figures')
  assert.equal(rows.match(/^\| `\//gm)?.length, RESULTS.scenarios.length)
})
