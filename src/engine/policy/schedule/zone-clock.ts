// The time of day in a time zone. Time zones are read rarely, because that is too slow for every decision: the last few periods
// without a change of the clocks are kept.

interface LocalTime {
  /** Days since 1970-01-01, by the local calendar. */
  readonly date: number
  /** Minutes since midnight, local time. */
  readonly minute: number
}

export interface ZoneClock {
  readonly timezone: string
  /** @param at milliseconds since the epoch */
  read(at: number): LocalTime
  /** When its offset from UTC changes next, in milliseconds since the epoch; infinite where it never does. */
  nextOffsetChange(at: number): number
}

/** A time in which the offset from UTC does not change; all in milliseconds. */
interface Period {
  readonly start: number
  readonly end: number
  readonly offset: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const clocks = new Map<string, ZoneClock>()

export const MACHINE_TIMEZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The clock of an IANA time zone; undefined where there is no such zone. */
export function zoneClock(timezone: string): ZoneClock | undefined {
  const known = clocks.get(timezone)
  if (known !== undefined) return known
  try {
    // Temporal reads the zone of a whole date, too.
    new Intl.DateTimeFormat('en', { timeZone: timezone })
    periodAt(timezone, 0)
  } catch {
    return undefined
  }
  const clock = createClock(timezone)
  clocks.set(timezone, clock)
  return clock
}

/** Today's, and those of expectations. */
const MAXIMUM_KEPT = 16

function createClock(timezone: string): ZoneClock {
  const kept: Period[] = []
  let last: LocalTime & { readonly at: number } = { at: Number.NaN, date: 0, minute: 0 }

  function find(at: number): Period {
    const known = kept.find(({ start, end }) => at >= start && at < end)
    if (known !== undefined) return known
    if (kept.length >= MAXIMUM_KEPT) kept.length = 0
    const period = periodAt(timezone, at)
    kept.push(period)
    return period
  }

  return {
    timezone,
    read(at) {
      // Each span of a schedule asks for the same time.
      if (at === last.at) return last
      const local = at + find(at).offset
      const date = Math.floor(local / DAY_MS)
      last = { at, date, minute: Math.floor((local - date * DAY_MS) / MINUTE_MS) }
      return last
    },
    nextOffsetChange: (at) => find(at).end,
  }
}

function periodAt(timezone: string, at: number): Period {
  const moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(timezone)
  const end = moment.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
  // The previous one of a moment is before it.
  const start = moment.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity
  return { start, end, offset: moment.offsetNanoseconds / 1e6 }
}
