// What is remembered between rounds, and what is due now. A cause counts when it was found in two rounds in a row, at least a
// minute apart: one restart is no alarm. It has ended when two rounds in a row did not find it.
import { areaOf, type Cause } from './cause.ts'

export const CHANNELS = ['mail', 'webhook'] as const
export type Channel = (typeof CHANNELS)[number]

/** What a channel has been told about an occurrence, and when it was last told that the cause exists. */
interface Told {
  readonly what: 'nothing' | 'alarm' | 'end'
  /** Milliseconds since the epoch; also of an earlier occurrence. */
  readonly alarmedAt: number | null
}

export interface Remembered extends Cause {
  /** When it was found first, and last. */
  readonly since: number
  readonly until: number
  /** Rounds in a row that found it, and that did not. */
  readonly found: number
  readonly missed: number
  readonly isConfirmed: boolean
  readonly told: Readonly<Record<Channel, Told>>
}

export interface Due {
  readonly alarms: readonly Remembered[]
  readonly ended: readonly Remembered[]
}

const ROUNDS = 2
const CONFIRM_MS = 60_000
const REPEAT_MS = 60 * 60_000
/** Far more than there are. */
const MAXIMUM_CAUSES = 200
const UNTOLD: Told = { what: 'nothing', alarmedAt: null }

export function hasEnded({ missed }: Remembered): boolean {
  return missed >= ROUNDS
}

/** @param unknown areas that this round knows nothing about */
export function afterRound(
  before: readonly Remembered[],
  causes: readonly Cause[],
  unknown: readonly string[],
  now: number,
): readonly Remembered[] {
  const found = causes.map((cause) =>
    foundAgain(
      cause,
      before.find(({ id }) => id === cause.id),
      now,
    ),
  )
  const others = before
    .filter(({ id }) => !causes.some((cause) => cause.id === id))
    .map((one) =>
      unknown.includes(areaOf(one.id)) ? one : { ...one, found: 0, missed: Math.min(one.missed + 1, ROUNDS) },
    )
    .filter((one) => one.missed < ROUNDS || CHANNELS.some((channel) => mustBeKept(one, channel, now)))
  return [...found, ...others].slice(0, MAXIMUM_CAUSES)
}

function foundAgain(cause: Cause, before: Remembered | undefined, now: number): Remembered {
  // An end that nobody was told about yet continues, so that it is not lost.
  const isNew = before === undefined || (hasEnded(before) && !CHANNELS.some((channel) => owesEnd(before, channel)))
  const since = isNew || before === undefined ? now : before.since
  const found = Math.min((before?.found ?? 0) + 1, ROUNDS)
  const wasConfirmed = !isNew && before?.isConfirmed === true
  return {
    ...cause,
    ...{ since, until: now, found, missed: 0 },
    isConfirmed: wasConfirmed || (found >= ROUNDS && now - since >= CONFIRM_MS),
    told: byChannel((channel) => {
      const told = before?.told[channel] ?? UNTOLD
      return isNew ? { ...told, what: 'nothing' } : told
    }),
  }
}

/** Before it is forgotten: its end is to be told, or it could come back within the hour. */
function mustBeKept(one: Remembered, channel: Channel, now: number): boolean {
  return owesEnd(one, channel) || !isAnHourAgo(one.told[channel], now)
}

function owesEnd({ isConfirmed, told }: Remembered, channel: Channel): boolean {
  return told[channel].what === 'alarm' || (isConfirmed && told[channel].what === 'nothing')
}

export function dueFor(channel: Channel, remembered: readonly Remembered[], now: number): Due {
  return {
    alarms: remembered.filter((one) => one.isConfirmed && !hasEnded(one) && isAnHourAgo(one.told[channel], now)),
    // One that came and went unnoticed is told as an alarm is: once an hour.
    ended: remembered.filter(
      (one) =>
        hasEnded(one) &&
        owesEnd(one, channel) &&
        (one.told[channel].what === 'alarm' || isAnHourAgo(one.told[channel], now)),
    ),
  }
}

export function afterTelling(
  remembered: readonly Remembered[],
  channel: Channel,
  { alarms, ended }: Due,
  now: number,
): readonly Remembered[] {
  const ids = (list: readonly Remembered[]) => new Set(list.map(({ id }) => id))
  const [begun, over] = [ids(alarms), ids(ended)]
  return remembered.map((one) => {
    const { what, alarmedAt } = one.told[channel]
    const next: Told = begun.has(one.id)
      ? { what: 'alarm', alarmedAt: now }
      : over.has(one.id)
        ? { what: 'end', alarmedAt: what === 'nothing' ? now : alarmedAt }
        : { what, alarmedAt }
    return { ...one, told: { ...one.told, [channel]: next } }
  })
}

/** A channel that is not configured is owed nothing. */
export function withoutChannel(remembered: readonly Remembered[], channel: Channel): readonly Remembered[] {
  return remembered.map((one) => ({ ...one, told: { ...one.told, [channel]: { ...one.told[channel], what: 'end' } } }))
}

/** A clock that was set back does not silence alarms. */
function isAnHourAgo({ alarmedAt }: Told, now: number): boolean {
  return alarmedAt === null || now - alarmedAt >= REPEAT_MS || alarmedAt > now
}

function byChannel<Value>(value: (channel: Channel) => Value): Readonly<Record<Channel, Value>> {
  return { mail: value('mail'), webhook: value('webhook') }
}
