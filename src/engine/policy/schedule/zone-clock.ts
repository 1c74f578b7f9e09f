// The time of day in a time zone. Intl is called rarely, because it is too slow for every decision: the last few minutes that were
// read are kept.

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
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const clocks = new Map<string, ZoneClock>()

export const MACHINE_TIMEZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The clock of an IANA time zone; undefined where there is no such zone. */
export function zoneClock(timezone: string): ZoneClock | undefined {
  const known = clocks.get(timezone)
  if (known !== undefined) return known
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en', {
      ...{ timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    })
  } catch {
    return undefined
  }
  const clock = createClock(timezone, format)
  clocks.set(timezone, clock)
  return clock
}

/** This minute, and those in which schedules end. */
const MAXIMUM_KEPT = 64

function createClock(timezone: string, format: Intl.DateTimeFormat): ZoneClock {
  const kept = new Map<number, LocalTime>()
  return {
    timezone,
    read(at) {
      const minute = Math.floor(at / MINUTE_MS)
      const known = kept.get(minute)
      if (known !== undefined) return known
      const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      const { year = 0, month = 0, day = 0, hour = 0, minute: minutes = 0 } = parts
      const time = { date: Date.UTC(year, month - 1, day) / DAY_MS, minute: hour * 60 + minutes }
      if (kept.size >= MAXIMUM_KEPT) kept.clear()
      kept.set(minute, time)
      return time
    },
  }
}
