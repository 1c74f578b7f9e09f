// The engine's Prometheus metrics.
import { cacheResult } from '../../observability/cache-result.ts'
import { createRenderer, histogram, type MetricFamily, sample, samplesBy } from '../../observability/metric-families.ts'
import type { JournalStatus } from '../journal/journal.ts'
import type { Opened, Readiness } from './readiness.ts'
import { countStopped, forgetRemovedRules, type Tally } from './tally.ts'

export interface MetricsDependencies {
  readonly tally: Tally
  readonly opened: Opened
  readonly readiness: () => Promise<Readiness>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Rows are counted at most once in this time. */
const CACHE_MS = 5_000

/** Returns a function that renders the metrics as text. */
export function createMetrics(dependencies: MetricsDependencies): () => Promise<string> {
  return createRenderer([...counted(dependencies), ...checkedFamilies(dependencies)])
}

/** Families that this process counts. */
function counted({ tally, opened }: MetricsDependencies): readonly MetricFamily[] {
  return [
    {
      name: 'engine_decisions_total',
      help: 'Decisions by verdict, rule and door; the rule is empty if none decided.',
      type: 'counter',
      values() {
        if (opened.policies !== undefined) forgetRemovedRules(tally, opened.policies.current)
        return [...tally.decisions].flatMap(([rule, counts]) =>
          counts.map(({ verdict, door, count }) => sample(count, { verdict, rule, door })),
        )
      },
    },
    {
      name: 'engine_stopped_total',
      help: "Stopped requests by rule and the rule's category, which is empty for a rule without one.",
      type: 'counter',
      values() {
        const policy = opened.policies?.current
        if (policy === undefined) return []
        forgetRemovedRules(tally, policy)
        return countStopped(tally, policy).map(({ count, category, rule }) => sample(count, { category, rule }))
      },
    },
    {
      name: 'engine_decision_seconds',
      help: 'How long a decision took, with the lookup of a session if there was one.',
      type: 'histogram',
      values: () => histogram('engine_decision_seconds', tally.decisionDurations),
    },
    {
      name: 'engine_hosts_total',
      help: 'Hosts that a proxy asked about, by whether a rule may stop some request for them; these are no decisions.',
      type: 'counter',
      values: () => samplesBy({ ...tally.hosts }, 'ruled'),
    },
    {
      name: 'engine_acknowledgements_total',
      help: 'Acknowledgements by outcome.',
      type: 'counter',
      values: () => samplesBy(tally.acknowledgements, 'outcome'),
    },
    {
      name: 'engine_reloads_total',
      help: 'Reloads of the policy by result; kept: rejected, the previous policy stays in force.',
      type: 'counter',
      values: () => samplesBy({ ...tally.reloads }, 'result'),
    },
  ]
}

/** Families that are read at each scrape. */
function checkedFamilies({ opened, readiness, clock }: MetricsDependencies): readonly MetricFamily[] {
  const count = cacheResult(CACHE_MS, clock, async () => opened.state?.counts().catch(() => undefined))
  const counts = (name: 'sessions' | 'lockouts') => async () => {
    const found = await count()
    return found === undefined ? [] : [sample(found[name])]
  }
  return [
    {
      name: 'engine_policy_kept',
      help: "1 when the policy's file, or a list in it, was rejected.",
      type: 'gauge',
      values: () => (opened.policies === undefined ? [] : [sample(opened.policies.last.problems.length === 0 ? 0 : 1)]),
    },
    {
      name: 'engine_list_entries',
      help: 'Names in each list.',
      type: 'gauge',
      values: () => (opened.policies?.current.lists ?? []).map(({ name, table }) => sample(table.size, { list: name })),
    },
    {
      name: 'engine_list_current',
      help: "Whether a list's file is in force: 0 where an earlier copy of it is, or nothing.",
      type: 'gauge',
      values: () =>
        (opened.policies?.current.lists ?? []).map(({ name, fallback }) =>
          sample(fallback === undefined ? 1 : 0, { list: name }),
        ),
    },
    {
      name: 'engine_sessions',
      help: 'Sessions of all engines that share the database.',
      type: 'gauge',
      values: counts('sessions'),
    },
    {
      name: 'engine_lockouts',
      help: 'Lockouts of all engines that share the database.',
      type: 'gauge',
      values: counts('lockouts'),
    },
    {
      name: 'engine_database_up',
      help: 'Whether the database of the state responds.',
      type: 'gauge',
      values: () => [sample(opened.state?.isUp === true ? 1 : 0)],
    },
    {
      name: 'engine_state_memory_backed',
      help: '1 when the state is in memory, and sessions and lockouts are lost on restart.',
      type: 'gauge',
      values: () => (opened.state === undefined ? [] : [sample(opened.state.durability.memoryBacked ? 1 : 0)]),
    },
    ...journalFamilies(opened),
    {
      name: 'engine_check',
      help: 'The checks of /readyz: 1 ok, 0 wrong.',
      type: 'gauge',
      values: async () =>
        Object.entries((await readiness()).checks).map(([check, { state }]) =>
          sample(state === 'ok' ? 1 : 0, { check }),
        ),
    },
  ]
}

/** Without samples where the journal is turned off. */
function journalFamilies(opened: Opened): readonly MetricFamily[] {
  const one = (value: (status: JournalStatus) => number) => () =>
    opened.journal === undefined ? [] : [sample(value(opened.journal.status))]
  return [
    {
      name: 'engine_journal_up',
      help: 'Whether the last write of the journal succeeded.',
      type: 'gauge',
      values: one(({ isUp }) => (isUp ? 1 : 0)),
    },
    {
      name: 'engine_journal_rows_total',
      help: 'Stopped requests that the journal has recorded.',
      type: 'counter',
      values: one(({ written }) => written),
    },
    {
      name: 'engine_journal_rows_lost_total',
      help: 'Stopped requests that the journal has not recorded and never will.',
      type: 'counter',
      values: one(({ lost }) => lost),
    },
    {
      name: 'engine_journal_queued',
      help: 'Stopped requests that the journal has not recorded yet.',
      type: 'gauge',
      values: one(({ queued }) => queued),
    },
    {
      name: 'engine_events_lost_total',
      help: 'Events that were not recorded because there were too many.',
      type: 'counter',
      values: () =>
        opened.journal === undefined || opened.state === undefined ? [] : [sample(opened.state.lostEvents)],
    },
  ]
}
