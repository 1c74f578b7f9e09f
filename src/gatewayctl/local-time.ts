// The operator's time zone, GATEWAY_TIMEZONE or the machine's: gatewayctl shows times to people in it.
import type { Context } from './context.ts'
import { portalVariables } from './deployment/portal-variables.ts'
import { EXIT_MISUSED, Failure } from './failure.ts'
import { printable } from './terminal/printable.ts'

/** An ISO 8601 time as text for people, `2026-11-28 00:14`, to the minute or to the second. */
export type LocalTime = (time: string, smallestUnit?: 'minute' | 'second') => string

/** @throws {Failure} where GATEWAY_TIMEZONE is no time zone */
export function operatorZone({ env }: Pick<Context, 'env'>): string {
  const zone = portalVariables(env).GATEWAY_TIMEZONE?.trim() || Temporal.Now.timeZoneId()
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId
  } catch {
    throw new Failure(
      `GATEWAY_TIMEZONE must be a time zone such as Europe/Zurich; it is now ${printable(zone)}`,
      EXIT_MISUSED,
    )
  }
}

/** @throws {Failure} where GATEWAY_TIMEZONE is no time zone: to be called before anything is changed */
export function createLocalTime(context: Pick<Context, 'env'>): LocalTime {
  const zone = operatorZone(context)
  // In most containers without GATEWAY_TIMEZONE: nobody may take it for their own zone.
  const suffix = isUtc(zone) ? ' UTC' : ''
  return (time, smallestUnit = 'minute') => {
    const local = localDateTime(time, zone)
    return local === undefined ? printable(time) : `${local.toString({ smallestUnit }).replace('T', ' ')}${suffix}`
  }
}

/** Undefined for what is no time. */
export function localDateTime(time: string, zone: string): Temporal.PlainDateTime | undefined {
  try {
    return Temporal.Instant.from(time).toZonedDateTimeISO(zone).toPlainDateTime()
  } catch {
    return undefined
  }
}

/** `Etc/UTC`, for example, is another name of it. */
function isUtc(zone: string): boolean {
  const start = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
  return start.equals(start.withTimeZone('UTC'))
}
