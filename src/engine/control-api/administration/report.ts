// Sums up a period: what was stopped, what visitors and administrators did about it, and what may stop too much.
import * as z from 'zod'
import { MAXIMUM_REPORT_DAYS, MAXIMUM_TOP } from '../../../contract/report.ts'
import { integer, parsed } from '../../../settings/shapes.ts'
import { type Period, parseBound, periodOf } from '../../journal/report/period.ts'
import { createReport } from '../../journal/report/report.ts'
import { MACHINE_TIMEZONE, type ZoneClock, zoneClock } from '../../policy/schedule/zone-clock.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, all, type CallResult, isoTime } from './call.ts'

const OFF = 'The engine keeps no journal: [journal] days is 0.'
const EMPTY = '"until" must be after "since".'
const LONG = `A report has at most ${MAXIMUM_REPORT_DAYS} days.`
const RELOADED = 'The policy was reloaded meanwhile: try again.'
const DAY_MS = 86_400_000

export function reportCall({ policies, monitoring, clock, journal }: Administration) {
  const zone = (zoneClock(monitoring.ruleHits.timezone) ?? zoneClock(MACHINE_TIMEZONE)) as ZoneClock
  const bound = parsed(
    'a date such as "2026-11-20", a time such as "2026-11-20T08:00Z", or a duration such as "P7D"',
    (text) => parseBound(text, zone.timezone, clock()),
  )
  const shape = z.strictObject({
    since: bound,
    until: bound.optional(),
    people: all.optional(),
    top: integer(1, MAXIMUM_TOP).default(20),
  })
  return administrationCall(
    'report',
    shape,
    async ({ since, until, people = false, top }): Promise<CallResult<'report'>> => {
      if (journal === undefined) return { refused: problem(409, OFF) }
      const now = clock()
      const period = periodOf(since, until ?? endOf(now, zone))
      if (period === undefined) return { refused: problem(400, EMPTY) }
      if (period.until - period.since > (MAXIMUM_REPORT_DAYS + 1) * DAY_MS) return { refused: problem(400, LONG) }
      const { current } = policies
      try {
        const { days, personDays, hosts } = journal.settings
        const { busiest, ...content } = await createReport(journal, current, zone, { period, top, people, hosts })
        return {
          time: isoTime(now),
          period: describePeriod(period),
          journal: { days, person_days: personDays, hosts },
          ...content,
          busiest: busiest && { hour: isoTime(busiest.hour), stopped: busiest.stopped },
        }
      } catch (error) {
        // The lists of an earlier policy can no longer be searched.
        if (policies.current !== current) return { refused: problem(409, RELOADED) }
        throw error
      }
    },
  )
}

/** What happens in this millisecond is in the period. */
function endOf(now: number, { timezone }: ZoneClock): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(now + 1).toZonedDateTimeISO(timezone)
}

function describePeriod({ since, until, timezone }: Period) {
  return { since: isoTime(since), until: isoTime(until), timezone }
}
