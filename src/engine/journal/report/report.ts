// Makes a report from what the databases sum up.
import type { Report } from '../../../contract/report.ts'
import type { Policy } from '../../policy/policy.ts'
import type { ZoneClock } from '../../policy/schedule/zone-clock.ts'
import { doubtfulLists } from './doubtful-lists.ts'
import { causesOf } from './over-blocking.ts'
import { calendarOf, daysOf } from './period.ts'
import { type ReportData, type ReportSources, readReport, type Wanted } from './reading.ts'

/** Without what only the caller knows. */
export type ReportContent = Omit<Report, 'time' | 'period' | 'journal' | 'busiest'> & {
  /** Milliseconds since the epoch. */
  readonly busiest: { readonly hour: number; readonly stopped: number } | null
}

/** Of each list. */
const DOUBTFUL_HOSTS = 10

/**
 * @param zone of the period
 * @throws {Error} where a reload has replaced the policy's lists meanwhile
 */
export async function createReport(
  sources: ReportSources,
  policy: Pick<Policy, 'lists' | 'rules'>,
  zone: ZoneClock,
  wanted: Wanted,
): Promise<ReportContent> {
  const data = await readReport(sources, wanted)
  const { top } = wanted
  return {
    ...(await byTime(data, zone, wanted)),
    ...bySource(data, top),
    hosts: data.hosts
      .filter(({ place }) => place <= top)
      .map(({ host, rule, list, requests }) => ({ host, rule, list, requests })),
    ...acts(data, wanted),
    over_blocking: {
      causes: causesOf(data, wanted),
      lists: (await doubtfulLists(policy, data.sources, data.hosts, DOUBTFUL_HOSTS)).slice(0, top),
      cut: data.events.areCut,
    },
    people: data.people === undefined ? null : withoutPseudonymOfGroups(data.people),
  }
}

const NONE = { block: 0, warn: 0, aup: 0, allow: 0 }
type Verdicts = typeof NONE

async function byTime({ hours }: ReportData, zone: ZoneClock, { period }: Wanted) {
  const calendar = await calendarOf(
    hours.map(({ hour }) => hour),
    zone,
  )
  const requests: Verdicts = { ...NONE }
  const days = new Map(daysOf(period).map((day) => [day.date, { ...day, ...NONE }]))
  const week = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0))
  const stopped = new Map<number, number>()
  for (const { hour, verdict, requests: count } of hours) {
    const { date, weekday, hour: ofDay } = calendar.get(hour) ?? { date: '', weekday: 0, hour: 0 }
    const key = verdict as keyof Verdicts
    requests[key] += count
    const day = days.get(date)
    if (day !== undefined) day[key] += count
    if (key === 'allow') continue
    const row = week[weekday] as number[]
    row[ofDay] = (row[ofDay] as number) + count
    stopped.set(hour, (stopped.get(hour) ?? 0) + count)
  }
  const [busiest] = [...stopped].sort(([first, one], [second, other]) => other - one || first - second)
  return {
    requests,
    days: [...days.values()],
    week,
    busiest: busiest === undefined ? null : { hour: busiest[0], stopped: busiest[1] },
  }
}

/** By category, by rule and by list. */
function bySource({ sources }: ReportData, top: number) {
  const categories = summed(sources, ({ category }) => category)
  const lists = summed(sources, ({ list }) => list)
  const rules = summed(sources, ({ rule, category }) => JSON.stringify([rule, category]))
  const listed = (all: typeof categories) => ({
    top: all.slice(0, top).map(([name, requests]) => ({ name, requests })),
    others: othersOf(all, top),
  })
  return {
    categories: listed(categories),
    lists: listed(lists),
    rules: {
      top: rules.slice(0, top).map(([key, requests]) => {
        const [name, category] = JSON.parse(key) as [string, string | null]
        return { name, category, requests }
      }),
      others: othersOf(rules, top),
    },
  }
}

/** What visitors and administrators did. */
function acts({ events: { counts, granted }, permitted }: ReportData, { top, hosts: areKept }: Wanted) {
  const count = (event: string, outcome?: string) =>
    total(counts.filter((one) => one.event === event && (outcome === undefined || one.outcome === outcome)))
  const rules = Map.groupBy(
    counts.filter(({ event }) => event === 'acknowledgement'),
    ({ rule }) => rule,
  )
  const switches = Map.groupBy(
    counts.filter(({ event }) => event.startsWith('switch.')),
    (one) => one.switch,
  )
  const stoppedHosts = Map.groupBy(permitted, (one) => one.permitted)
  return {
    acknowledgements: {
      accepted: count('acknowledgement', 'accepted'),
      // The last one begins a lockout.
      rejected: count('acknowledgement', 'code rejected') + count('acknowledgement', 'locked out'),
      locked_out: count('acknowledgement', 'locked out'),
      rules: [...rules]
        .map(([rule, some]) => {
          const of = (outcome: string) => total(some.filter((one) => one.outcome === outcome))
          const lockedOut = of('locked out')
          return { rule, accepted: of('accepted'), rejected: of('code rejected') + lockedOut, locked_out: lockedOut }
        })
        .sort((one, other) => other.accepted - one.accepted || other.rejected - one.rejected)
        .slice(0, top),
    },
    lesson_codes: count('code.created'),
    permissions: {
      granted: count('permission.granted'),
      hosts: granted.slice(0, top).map(({ host, granted }) => {
        const stopped = (stoppedHosts.get(host) ?? []).reduce((sum, { requests }) => sum + requests, 0)
        return { host, granted, stopped: areKept ? stopped : null }
      }),
    },
    switches: [...switches]
      .map(([name, some]) => {
        const of = (event: string) => total(some.filter((one) => one.event === event))
        return { switch: name ?? '', on: of('switch.on'), off: of('switch.off') }
      })
      .slice(0, top),
  }
}

function withoutPseudonymOfGroups({ users, clients, groups }: NonNullable<ReportData['people']>) {
  return { users, clients, groups: groups.map(({ name, requests }) => ({ name, requests })) }
}

/** The most first. */
function summed<Row extends { readonly requests: number }, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): readonly (readonly [key: Key, requests: number])[] {
  const sums = new Map<Key, number>()
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.requests)
  return [...sums].sort(([, one], [, other]) => other - one)
}

function othersOf(all: readonly (readonly [unknown, number])[], top: number) {
  const rest = all.slice(top)
  return { entries: rest.length, requests: rest.reduce((sum, [, requests]) => sum + requests, 0) }
}

function total(counts: readonly { readonly events: number }[]): number {
  return counts.reduce((sum, { events }) => sum + events, 0)
}
