// Timelines as what the rules' `when` has: named as the times of the configuration, where they are one.
import type { Configuration } from '../configuration.ts'
import { uniqueName } from '../names.ts'
import { ALWAYS, isSame, not, type Span, spansOf, type Timeline } from './timeline.ts'

/** Of the policy's `[schedules]`. */
export interface NamedSchedule {
  readonly name: string
  readonly spans: readonly Span[]
}

export type When = readonly (Span | string)[]

export interface Schedules {
  /** What the `when` of each rule has that is needed, because one has a limit; undefined for always. */
  whensOf(timeline: Timeline): readonly (When | undefined)[]
  /** The one that is simplest to say. */
  simplest(timelines: readonly [Timeline, ...Timeline[]]): Timeline
  /** Those that `whensOf` has named. */
  named(): readonly NamedSchedule[]
}

/** The engine's limit for a rule. */
const MAXIMUM_SPANS = 100

export function createSchedules({ times }: Pick<Configuration, 'times'>): Schedules {
  const taken = new Set<string>()
  const known = [
    ...times.map(({ name, timeline }) => ({ name: uniqueName(name, taken), timeline })),
    ...times.map(({ name, timeline }) => ({ name: uniqueName(`outside-${name}`, taken), timeline: not(timeline) })),
  ]
  const named = new Map<string, NamedSchedule>()
  const read = new Map<Timeline, readonly (When | undefined)[]>()
  /** Two times may be alike. */
  const find = (timeline: Timeline) =>
    known.find((one) => one.timeline === timeline) ?? known.find((one) => isSame(one.timeline, timeline))

  function whensOf(timeline: Timeline): readonly (When | undefined)[] {
    const known = read.get(timeline)
    if (known !== undefined) return known
    const whens = readWhens(timeline)
    read.set(timeline, whens)
    return whens
  }

  function readWhens(timeline: Timeline): readonly (When | undefined)[] {
    if (isSame(timeline, ALWAYS)) return [undefined]
    const parts = chunks(spansOf(timeline))
    const found = find(timeline)
    if (found === undefined && parts.length <= 1) return parts
    const name = found?.name ?? uniqueName('times', taken)
    return parts.map((spans, index) => {
      const schedule = { name: index === 0 ? name : uniqueName(name, taken), spans }
      named.set(schedule.name, schedule)
      return [schedule.name]
    })
  }

  function sizeOf(timeline: Timeline): number {
    if (isSame(timeline, ALWAYS)) return 0
    return find(timeline) !== undefined ? 1 : 1 + spansOf(timeline).length
  }

  return {
    whensOf,
    simplest: ([first, ...others]) => others.reduce((best, one) => (sizeOf(one) < sizeOf(best) ? one : best), first),
    named: () => [...named.values()],
  }
}

function chunks(spans: readonly Span[]): readonly (readonly Span[])[] {
  return Array.from({ length: Math.ceil(spans.length / MAXIMUM_SPANS) }, (_, index) =>
    spans.slice(index * MAXIMUM_SPANS, (index + 1) * MAXIMUM_SPANS),
  )
}
