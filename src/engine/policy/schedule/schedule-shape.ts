// The shapes of a rule's `when`, and of [schedules], in the TOML file.
import * as z from 'zod'
import { evenWithProblems, kinds, parsed } from '../../../settings/shapes.ts'
import { name, path } from '../value-shapes.ts'
import { parseDate } from './dates-file.ts'
import { parseDays, parseTimeOfDay, type Schedule, type Span, WHOLE_DAY } from './schedule.ts'
import { type ZoneClock, zoneClock } from './zone-clock.ts'

const time = parsed('a time of day such as "08:00", at most "24:00"', parseTimeOfDay)
/** TOML has dates; the file may also have them as text. */
const date = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString() : value),
  parsed('a date such as "2026-11-27"', parseDate),
)

export const span = z
  .strictObject({
    days: parsed('days such as "mon-fri" or "sat,sun"', parseDays).prefault('mon-sun'),
    on: date.optional(),
    until: date.optional(),
    from: time.refine((value) => value < WHOLE_DAY, 'must be a time of day before "24:00"').prefault('00:00'),
    to: time.prefault('24:00'),
    timezone: parsed('a time zone such as "Europe/Zurich"', zoneClock).optional(),
    not_on: path.optional(),
  })
  .refine(({ from, to }) => typeof from !== 'number' || from !== to, {
    ...evenWithProblems,
    path: ['to'],
    error: 'must differ from "from"; for a whole day leave out both',
  })
  .refine(({ on, until }) => typeof on !== 'number' || typeof until !== 'number' || on <= until, {
    ...evenWithProblems,
    path: ['until'],
    error: 'must not be before "on"',
  })

/** Each is compared with every request that the rule's other conditions match. */
const MAXIMUM_SPANS = 100
const LENGTH = `must have 1 to ${MAXIMUM_SPANS} entries`

/** A schedule of [schedules]. */
export const namedSchedule = kinds([span, listOf(span)], 'a table, or a list of tables').transform((value) =>
  [value].flat(),
)

const entry = kinds([span, name], 'a table, or the name of a schedule')

export const schedule = kinds(
  [span, name, listOf(entry)],
  'a table, the name of a schedule, or a list of these',
).transform((value) => [value].flat())

function listOf<Shape extends z.ZodType>(shape: Shape) {
  return z.array(shape).min(1, LENGTH).max(MAXIMUM_SPANS, LENGTH)
}

export type SpanContent = z.output<typeof span>
export type ScheduleContent = readonly (SpanContent | string)[]

/** What the policy declares elsewhere, to which schedules refer. */
export interface DeclaredTimes {
  /** Of spans that name no time zone. */
  readonly clock: ZoneClock
  /** The content of a file with dates, by the name that `not_on` has for it. */
  readonly dates: ReadonlyMap<string, ReadonlySet<number>>
  readonly schedules: ReadonlyMap<string, readonly SpanContent[]>
}

/** The limit that a rule's schedule exceeds with the spans of the schedules that it names; undefined where it exceeds none. */
export function scheduleFault(content: ScheduleContent, schedules: DeclaredTimes['schedules']): string | undefined {
  const { length } = spansOf(content, schedules)
  if (length <= MAXIMUM_SPANS) return undefined
  return `must have at most ${MAXIMUM_SPANS} spans, those of the schedules that it names included (it has ${length})`
}

function spansOf(content: ScheduleContent, schedules: DeclaredTimes['schedules']): readonly SpanContent[] {
  return content.flatMap((one) => (typeof one === 'string' ? (schedules.get(one) ?? []) : [one]))
}

export function loadSchedule(content: ScheduleContent, { clock, dates, schedules }: DeclaredTimes): Schedule {
  return spansOf(content, schedules).map(({ days, on, until, from, to, timezone, not_on }): Span => {
    return {
      ...{ days, from, to, clock: timezone ?? clock },
      first: on ?? -Infinity,
      last: until ?? on ?? Infinity,
      notOn: dates.get(not_on ?? '') ?? new Set<number>(),
    }
  })
}
