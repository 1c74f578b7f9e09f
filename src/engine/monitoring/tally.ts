// This process's counters, as plain numbers: a decision costs about a hundred nanoseconds. Each scrape builds the metrics
// from them.
import { emptyHistogram, type Histogram, observe } from '../../observability/histogram.ts'
import type { Decision, Outcome } from '../engine.ts'
import type { Policy } from '../policy/policy.ts'
import { DEFAULT_RULE_NAME } from '../policy/policy.ts'

/** The listeners for decisions; the label and the member of the log are named `door`. */
export const DOORS = ['json', 'icap'] as const
export type Door = (typeof DOORS)[number]

export const ACKNOWLEDGEMENT_OUTCOMES = [
  'accepted',
  'refused',
  'expired',
  'code missing',
  'code unexpected',
  'code rejected',
  'locked out',
  'busy',
  'unavailable',
  'malformed',
] as const satisfies readonly Outcome['kind'][]
type AcknowledgementOutcome = (typeof ACKNOWLEDGEMENT_OUTCOMES)[number]

/** From five microseconds, the time of a decision from memory, to 200 ms, the time limit for looking up a session. */
const BOUNDS = [
  0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2,
] as const

interface DecisionCount {
  readonly door: Door
  readonly verdict: Decision['verdict']
  count: number
}

export interface Tally {
  /** By rule; the empty name is for requests that no rule decided. */
  readonly decisions: Map<string, DecisionCount[]>
  readonly decisionDurations: Histogram
  /** Hosts that a proxy has asked about, by whether they are ruled. */
  readonly hosts: { yes: number; no: number }
  readonly acknowledgements: Record<AcknowledgementOutcome, number>
  readonly reloads: { loaded: number; kept: number }
}

export function createTally(): Tally {
  return {
    decisions: new Map(),
    decisionDurations: emptyHistogram(BOUNDS),
    hosts: { yes: 0, no: 0 },
    acknowledgements: Object.fromEntries(ACKNOWLEDGEMENT_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
      AcknowledgementOutcome,
      number
    >,
    reloads: { loaded: 0, kept: 0 },
  }
}

export function countDecision(tally: Tally, door: Door, { rule = '', verdict }: Decision, milliseconds: number): void {
  observe(tally.decisionDurations, milliseconds)
  let counts = tally.decisions.get(rule)
  if (counts === undefined) {
    counts = []
    tally.decisions.set(rule, counts)
  }
  const found = counts.find((count) => count.verdict === verdict && count.door === door)
  if (found === undefined) counts.push({ door, verdict, count: 1 })
  else found.count++
}

export function countByDoor({ decisions }: Tally): Record<Door, number> {
  const sums: Record<Door, number> = { json: 0, icap: 0 }
  for (const { door, count } of [...decisions.values()].flat()) sums[door] += count
  return sums
}

/** Deletes the counts of rules that the policy no longer has. */
export function forgetRemovedRules({ decisions }: Tally, { rules }: Pick<Policy, 'rules'>): void {
  const kept = new Set(['', DEFAULT_RULE_NAME, ...rules.map(({ name }) => name)])
  for (const rule of decisions.keys()) if (!kept.has(rule)) decisions.delete(rule)
}

export interface StoppedCount {
  readonly rule: string
  /** Of the rule in the policy. Empty for a rule without one, and for the default. */
  readonly category: string
  readonly count: number
}

/** Stopped requests by rule: as many entries as the policy has rules, and one for the default. */
export function countStopped(
  { decisions }: Pick<Tally, 'decisions'>,
  { rules }: Pick<Policy, 'rules'>,
): readonly StoppedCount[] {
  return [...decisions].flatMap(([rule, counts]) => {
    const stopped = counts.filter(({ verdict }) => verdict !== 'allow')
    if (stopped.length === 0) return []
    const category = rules.find(({ name }) => name === rule)?.category ?? ''
    return [{ rule, category, count: stopped.reduce((sum, { count }) => sum + count, 0) }]
  })
}
