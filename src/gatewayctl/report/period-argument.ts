// The ends of a report's period as arguments. The engine reads dates and days, because its time zone decides when a day begins.
import type { Context } from '../context.ts'
import { parseTime } from '../time-argument.ts'

/** For the help. */
export const PERIOD_HELP = `
A time is a date (2026-11-20), a date and time (2026-11-20T08:00, or with a zone
2026-11-20T08:00+01:00), or how long ago (36h, 7d, 4w). Dates, days and weeks
begin at midnight in the engine's time zone, whose days have 23 or 25 hours
where the clocks change; 7d is today and the seven days before. The period
consists of whole hours, and has at most 366 days.`

/**
 * As the call `report` has it: `7d` becomes `P7D`.
 * @throws {InvalidArgumentError} @throws {Failure} where GATEWAY_TIMEZONE is no time zone
 */
export function parsePeriodEnd(text: string, context: Pick<Context, 'env' | 'clock'>): string {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([mhdw])$/.exec(text) ?? []
  if (count !== undefined)
    return /[mh]/.test(unit) ? `PT${count}${unit.toUpperCase()}` : `P${count}${unit.toUpperCase()}`
  const time = parseTime(text, context)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : time
}
