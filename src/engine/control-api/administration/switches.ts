// Turns switches on for a time, for everyone, a room or a network, and off again.
import * as z from 'zod'
import { MAXIMUM_PERMISSION_MINUTES, type OpenSwitch } from '../../../contract/administration.ts'
import { parseAddressRange, rangeText } from '../../../network/address-range.ts'
import { integer, parsed, text } from '../../../settings/shapes.ts'
import type { Room } from '../../policy/room.ts'
import { switchNames } from '../../policy/switches.ts'
import { name } from '../../policy/value-shapes.ts'
import type { SwitchOn } from '../../state/switches.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, all, isoTime, limit, roomName } from './call.ts'

const FULL = '10,000 switches are on already. Turn off some of them.'
/** The caller must ask explicitly for everyone. */
const SCOPE = 'Set exactly one of "room", "client" and "everyone".'
const SCOPE_TO_END = 'Set exactly one of "room", "client", "everyone" and "all".'

const network = parsed('an address without a zone, or a network such as "192.168.12.0/24"', parseAddressRange)

export function switchCalls({ policies, state, monitoring }: Administration) {
  const scope = { room: roomName(policies).optional(), client: network.optional(), everyone: all.optional() }
  const turningOn = z
    .strictObject({ switch: name, ...scope, minutes: integer(1, MAXIMUM_PERMISSION_MINUTES), by: text(1, 128) })
    .refine(hasOneScope, SCOPE)
  const turningOff = z.strictObject({ switch: name, ...scope, all: all.optional() }).refine(hasOneScope, SCOPE_TO_END)
  return {
    ...administrationCall('switches/on', turningOn, async ({ switch: name, minutes, by, ...scope }, from) => {
      const known = switchNames(policies.current.rules)
      if (!known.includes(name)) return { refused: problem(400, unknownText(name, known)) }
      const on = await state.turnOn({
        ...{ name, by, room: scope.room?.name },
        networks: networksOf(scope),
        milliseconds: minutes * 60_000,
      })
      if (on === undefined) return { refused: problem(409, FULL) }
      for (const one of on) {
        monitoring.administered({ event: 'switch.on', from, ...auditable(one), by, until: isoTime(one.expiresAt) })
      }
      return { switches: on.map(describeSwitch) }
    }),
    ...administrationCall('switches/list', z.strictObject({ limit }), async ({ limit }) => {
      const found = await state.switchesOn()
      return {
        switches: found.slice(0, limit).map(describeSwitch),
        names: switchNames(policies.current.rules),
        more: found.length > limit,
      }
    }),
    ...administrationCall('switches/off', turningOff, async ({ switch: name, all, ...scope }, from) => {
      const networks = all ? 'all' : (networksOf(scope) ?? 'everyone')
      const ended = await state.turnOff({ name, networks, room: scope.room?.name })
      for (const one of ended) monitoring.administered({ event: 'switch.off', from, ...auditable(one) })
      const still = (await state.switchesOn()).filter((one) => one.name === name)
      return { ended: ended.length, still_on: still.map(describeSwitch) }
    }),
  }
}

interface Scope {
  readonly room?: Room | undefined
  readonly client?: Room['networks'][number] | undefined
}

/** Undefined for everyone. */
function networksOf({ room, client }: Scope): Room['networks'] | undefined {
  return room?.networks ?? (client && [client])
}

function hasOneScope({
  room,
  client,
  everyone,
  all,
}: Readonly<Partial<Record<'room' | 'client' | 'everyone' | 'all', unknown>>>): boolean {
  return [room, client, everyone, all].filter((one) => one !== undefined).length === 1
}

function unknownText(name: string, known: readonly string[]): string {
  const names = known.length === 0 ? 'none has a switch' : `the switches are ${known.map(quote).join(', ')}`
  return `No rule has the switch ${quote(name)}: ${names}.`
}

function quote(name: string): string {
  return JSON.stringify(name)
}

function auditable({ name, network, room }: SwitchOn) {
  return { switch: name, network: network && rangeText(network), room }
}

function describeSwitch({ name, network, room, by, createdAt, expiresAt }: SwitchOn): OpenSwitch {
  return {
    switch: name,
    network: network === undefined ? null : rangeText(network),
    ...{ room: room ?? null, by },
    ...{ created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) },
  }
}
