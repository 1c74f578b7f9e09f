// Which rule and list cause the permissions that administrators grant and the acknowledgements of visitors: where many are needed,
// the rule or the list may stop too much.
import type { Report } from '../../../contract/report.ts'
import type { ReportData, Wanted } from './reading.ts'
import type { SourceTotal } from './totals.ts'

type Cause = Report['over_blocking']['causes'][number]

/** Those with most permissions first, then those with most acknowledgements. */
export function causesOf(
  { events, sources, permitted, acknowledged }: ReportData,
  { top, hosts }: Pick<Wanted, 'top' | 'hosts'>,
): readonly Cause[] {
  const causes = new Map<string, Cause>()
  const add = (source: Pick<Cause, 'rule' | 'category' | 'list'>, more: Partial<Cause>) => {
    const { rule, category, list } = source
    const key = JSON.stringify([rule, category, list])
    const stopped = sources.find((one) => isSame(one, source))?.requests ?? (rule === null && !hosts ? null : 0)
    const cause = causes.get(key) ?? { rule, category, list, stopped, permissions: 0, acknowledgements: 0 }
    causes.set(key, {
      ...cause,
      permissions: cause.permissions + (more.permissions ?? 0),
      acknowledgements: cause.acknowledgements + (more.acknowledgements ?? 0),
    })
  }
  const stoppedHosts = Map.groupBy(permitted, (one) => one.permitted)
  for (const { host, granted } of events.granted) {
    // What no request was stopped for in the period has no cause, and without hosts none is known.
    for (const source of stoppedHosts.get(host) ?? [NO_SOURCE]) add(source, { permissions: granted })
  }
  for (const { acknowledgements, ...source } of acknowledged) add(source, { acknowledgements })
  return [...causes.values()]
    .sort(
      (one, other) =>
        other.permissions - one.permissions ||
        other.acknowledgements - one.acknowledgements ||
        (other.stopped ?? 0) - (one.stopped ?? 0),
    )
    .slice(0, top)
}

const NO_SOURCE = { rule: null, category: null, list: null }

function isSame(one: SourceTotal, { rule, category, list }: Pick<Cause, 'rule' | 'category' | 'list'>): boolean {
  return one.rule === rule && one.category === category && one.list === list
}
