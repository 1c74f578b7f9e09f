// What the call `report` returns: how much was stopped in a period, what visitors and administrators did about it, and which lists
// and rules may stop too much. Each table has its largest entries, and how much the others have together.
import * as z from 'zod'

/** A period has at most so many days. */
export const MAXIMUM_REPORT_DAYS = 366
/** Entries of each table. */
export const MAXIMUM_TOP = 500
/** What `over_blocking.causes` counts: the newest acknowledgements, and permissions for the hosts that have most. */
export const MAXIMUM_CAUSES = { acknowledgements: 100_000, hosts: 500 } as const

const count = z.number()
/** ISO 8601 in UTC, to the second. */
const time = z.string()
const optionalName = z.string().nullable()

/** Entries that a table leaves out. */
const others = z.object({ entries: count, requests: count })
const names = z.array(z.object({ name: z.string(), requests: count })).readonly()
/** The name is null for stops that have none. */
const named = z.object({
  top: z.array(z.object({ name: optionalName, requests: count })).readonly(),
  others,
})

/** Requests by what was decided. */
const verdicts = { block: count, warn: count, aup: count, allow: count }

const day = z.object({
  /** `2026-11-20`, by the engine's time zone. */
  date: z.string(),
  /** How many hours of it are in the period: 23 or 25 where the clocks change. */
  hours: count,
  ...verdicts,
})

/** Where a permission or an acknowledgement comes from. Without a rule: nothing that the period's stops name. */
const cause = z.object({
  rule: optionalName,
  category: optionalName,
  list: optionalName,
  /** Requests that these stopped. Null where that isn't known, because the journal keeps no hosts. */
  stopped: count.nullable(),
  /** Permissions for a host that these stopped. */
  permissions: count,
  /** Acknowledgements of verdicts by these. */
  acknowledgements: count,
})

const doubtfulList = z.object({
  list: z.string(),
  /** Requests that it stopped. */
  stopped: count,
  /** Of these, those for the hosts about which the other lists were asked. */
  asked: count,
  /** Of these, those for hosts that no other list and no rule with a category names. Null where the list is not loaded. */
  alone: count.nullable(),
  /** The most frequent hosts that nothing else names. */
  hosts: z.array(z.object({ host: z.string(), requests: count })).readonly(),
})

const person = z.object({ name: z.string(), pseudonym: z.boolean(), requests: count })
const people = z.array(person).readonly()

export const report = z.object({
  time,
  /** Whole hours. */
  period: z.object({ since: time, until: time, timezone: z.string() }),
  /** How long the journal keeps rows and names of people, and whether it has hosts. */
  journal: z.object({ days: count, person_days: count, hosts: z.boolean() }),
  requests: z.object(verdicts),
  days: z.array(day).readonly(),
  /** Stopped requests by the weekday, Monday first, and by the hour of the day. */
  week: z.array(z.array(count).readonly()).readonly(),
  /** The hour in which most requests were stopped; null where none were. */
  busiest: z.object({ hour: time, stopped: count }).nullable(),
  categories: named,
  rules: z.object({
    top: z.array(z.object({ name: z.string(), category: optionalName, requests: count })).readonly(),
    others,
  }),
  lists: named,
  hosts: z.array(z.object({ host: z.string(), rule: z.string(), list: optionalName, requests: count })).readonly(),
  acknowledgements: z.object({
    accepted: count,
    /** Wrong codes: also those that began a lockout. */
    rejected: count,
    /** How many lockouts began. */
    locked_out: count,
    rules: z.array(z.object({ rule: optionalName, accepted: count, rejected: count, locked_out: count })).readonly(),
  }),
  lesson_codes: count,
  permissions: z.object({
    granted: count,
    /** With a dot before it, all below it, too. How many requests were stopped is null where the journal keeps no hosts. */
    hosts: z.array(z.object({ host: z.string(), granted: count, stopped: count.nullable() })).readonly(),
  }),
  switches: z.array(z.object({ switch: z.string(), on: count, off: count })).readonly(),
  over_blocking: z.object({
    causes: z.array(cause).readonly(),
    lists: z.array(doubtfulList).readonly(),
    /** Whether there were more acknowledgements or hosts than `causes` counts. */
    cut: z.boolean(),
  }),
  /** Null unless the request asks for people. */
  people: z.object({ users: people, clients: people, groups: names }).nullable(),
})

export type Report = z.output<typeof report>
