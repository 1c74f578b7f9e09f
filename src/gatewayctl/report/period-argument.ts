// The ends of a report's period as arguments. The engine reads them, because its time zone decides when a day begins.
import { InvalidArgumentError } from 'commander'

/** For the help. */
export const PERIOD_HELP = `
A time is a date (2026-11-20), a date and time with its zone
(2026-11-20T08:00+01:00), or how long ago (36h, 7d, 4w). Dates, days and weeks
begin at midnight in the engine's time zone, whose days have 23 or 25 hours
where the clocks change; 7d is today and the seven days before. The period
consists of whole hours, and has at most 366 days.`

const RULE = 'It must be a date (2026-11-20), a date and time with a zone (2026-11-20T08:00Z), or how long ago (7d).'

/**
 * As the call `report` has it: `7d` becomes `P7D`.
 * @throws {InvalidArgumentError}
 */
export function parsePeriodEnd(text: string): string {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([mhdw])$/.exec(text) ?? []
  if (count !== undefined)
    return /[mh]/.test(unit) ? `PT${count}${unit.toUpperCase()}` : `P${count}${unit.toUpperCase()}`
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text).toString()
    return Temporal.Instant.from(text).toString()
  } catch {
    throw new InvalidArgumentError(RULE)
  }
}
