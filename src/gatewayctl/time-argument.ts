// Points in time as arguments. A date and a time without a zone are in the operator's.
import { InvalidArgumentError } from 'commander'
import type { Context } from './context.ts'
import { operatorZone } from './local-time.ts'

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
  w: 7 * 24 * 3_600_000,
}

/** For the help of a command with such arguments. */
export const TIME_HELP = `
A time is a date (2026-11-20, which means 00:00), a date and time
(2026-11-20T09:00), or how long ago (90m, 36h, 7d, 52w; a day has 24 hours).
Without a zone of its own (2026-11-20T08:00Z, 2026-11-20T09:00+01:00), it is in
that of GATEWAY_TIMEZONE, or of the machine.`

const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/

const RULE =
  'It must be a date (2026-11-20), a date and time (2026-11-20T08:00, 2026-11-20T08:00Z), or how long ago (7d).'

/**
 * The moment as the ledger writes it: ISO 8601 in UTC with milliseconds.
 * @throws {InvalidArgumentError} @throws {Failure} where GATEWAY_TIMEZONE is no time zone
 */
export function parseTime(text: string, context: Pick<Context, 'env' | 'clock'>): string {
  const moment = new Date(milliseconds(text, context))
  // Years outside 0000 to 9999 have another format, and sort differently.
  const iso = Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
  if (!/^\d{4}-/.test(iso)) throw new InvalidArgumentError(RULE)
  return iso
}

/**
 * How long, in minutes: `30m`, `2h`, `7d`.
 * @throws {InvalidArgumentError}
 */
export function parseMinutes(text: string, most: number): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhdw])$/.exec(text) ?? []
  const minutes = (Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)) / 60_000
  if (!(minutes <= most))
    throw new InvalidArgumentError(`It must be a duration of at most ${most / 1440} days: 30m, 2h, 7d.`)
  return minutes
}

/** How long ago, in milliseconds: `90m`, `36h`, `7d`, `52w`; undefined for anything else. */
export function parseAge(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([mhdw])$/.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * (UNITS[unit] ?? Number.NaN)
}

function milliseconds(text: string, context: Pick<Context, 'env' | 'clock'>): number {
  const age = parseAge(text)
  if (age !== undefined) return context.clock() - age
  const zone = WITHOUT_ZONE.test(text) ? operatorZone(context) : undefined
  try {
    if (zone === undefined) return Temporal.Instant.from(text).epochMilliseconds
    return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds
  } catch {
    return Number.NaN
  }
}
