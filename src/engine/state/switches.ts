// The switches that are on: each for everyone, or for a network. All of them are in memory.
import { type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import { isOneOf } from '../../database/one-of.ts'
import { type AddressRange, isInRange, parseAddressRange, rangeText } from '../../network/address-range.ts'
import type { Switches } from '../policy/switches.ts'
import { after, type DatabaseClock } from './database-clock.ts'
import type { AdministrationEvent } from './events.ts'
import { nextRevision } from './revision.ts'
import type { StateTables } from './schema.ts'
import type { StateDatabase } from './state-database.ts'

export interface SwitchState {
  /** From memory. */
  readonly switches: Switches
  /** By name; the earliest expiry first. */
  switchesOn(): Promise<readonly SwitchOn[]>
  /** Replaces what is on for the same networks. @returns undefined if there are 10,000 already */
  turnOn(switched: NewSwitchOn): Promise<readonly SwitchOn[] | undefined>
  /** @returns what was on; other engines follow within a second */
  turnOff(selection: SwitchSelection): Promise<readonly SwitchOn[]>
}

export interface SwitchOn {
  readonly name: string
  /** Undefined for everyone. */
  readonly network: AddressRange | undefined
  /** Whose network it is, where it was turned on for a room. */
  readonly room: string | undefined
  /** Who turned it on, for the operators. */
  readonly by: string
  /** Milliseconds since the epoch, by the database's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

interface NewSwitchOn extends Pick<SwitchOn, 'name' | 'room' | 'by'> {
  /** Undefined for everyone. */
  readonly networks: readonly AddressRange[] | undefined
  readonly milliseconds: number
}

interface SwitchSelection extends Pick<SwitchOn, 'name'> {
  /** Exactly these, or everyone; `'all'` for wherever it is on. */
  readonly networks: readonly AddressRange[] | 'everyone' | 'all'
  /** What was turned on for this room, too: its networks may have changed since. */
  readonly room: string | undefined
}

export interface SwitchMemory extends Switches {
  replace(on: readonly SwitchOn[]): void
}

/** Anything beyond this belongs in the policy. */
const MAXIMUM = 10_000
/** Rows of one insert: databases limit how many values a statement may have. */
const BATCH = 1_000
/** Instead of a network. */
const EVERYONE = '*'

/** @param syncSoon see `SessionSync` */
export function createSwitches(
  { dialect, transactions, clock, events }: Pick<StateDatabase, 'dialect' | 'transactions' | 'clock' | 'events'>,
  memory: SwitchMemory,
  syncSoon: () => Promise<void>,
): SwitchState {
  return {
    switches: memory,
    switchesOn: () => transactions.read('list switches', (transaction) => readSwitches(transaction, clock.now())),
    async turnOn(switched) {
      const on = await transactions.run('turn on a switch', async (transaction) => {
        await nextRevision(transaction)
        const on = await insertSwitch(transaction, clock.now(), switched)
        await events.administered(transaction, on?.map((row) => eventOf('switch.on', row)) ?? [])
        return on?.map(toSwitch)
      })
      await syncSoon()
      return on
    },
    async turnOff({ name, networks, room }) {
      const off = await transactions.run('turn off a switch', async (transaction) => {
        await nextRevision(transaction)
        const ended = transaction
          .deleteFrom('engine_switch')
          .where('switch_name', '=', name)
          .where('expires_at', '>', clock.now())
          .returningAll()
        const keys = networks === 'everyone' ? [EVERYONE] : networks === 'all' ? [] : networks.map(rangeText)
        const ofRoom = sql<boolean>`room = ${room ?? null}`
        const selected = ended.where((where) => where.or([isOneOf(dialect, 'network', keys), ofRoom]))
        const off = await (networks === 'all' ? ended : selected).execute()
        await events.administered(
          transaction,
          off.map((row) => eventOf('switch.off', row)),
        )
        return off
      })
      await syncSoon()
      return off.map(toSwitch)
    },
  }
}

export function createSwitchMemory(clock: Pick<DatabaseClock, 'of'>): SwitchMemory {
  let byName = new Map<string, SwitchOn[]>()
  return {
    offAt(name, address, at) {
      const now = clock.of(at)
      let end: number | undefined
      for (const { network, expiresAt } of byName.get(name) ?? []) {
        if (expiresAt <= (end ?? now) || !(network === undefined || isInRange(network, address))) continue
        end = expiresAt
      }
      return end === undefined ? undefined : end - now + at
    },
    replace(on) {
      byName = Map.groupBy(on, ({ name }) => name)
    },
  }
}

export async function readSwitches(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
): Promise<readonly SwitchOn[]> {
  const rows = await transaction
    .selectFrom('engine_switch')
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('switch_name')
    .orderBy('expires_at')
    .orderBy('network')
    .limit(MAXIMUM)
    .execute()
  return rows.map(toSwitch)
}

/** @returns undefined if there are too many */
async function insertSwitch(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  { name, networks, room = '', by, milliseconds }: NewSwitchOn,
): Promise<readonly Row[] | undefined> {
  const keys = networks === undefined ? [EVERYONE] : [...new Set(networks.map(rangeText))]
  const { total } = await transaction
    .selectFrom('engine_switch')
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow()
  if (Number(total) + keys.length > MAXIMUM) return undefined
  const next = { room, switched_by: by, created_at: now, expires_at: after(now, milliseconds) }
  const on: Row[] = []
  for (let at = 0; at < keys.length; at += BATCH) {
    const rows = keys.slice(at, at + BATCH).map((network) => ({ switch_name: name, network, ...next }))
    const inserted = await transaction
      .insertInto('engine_switch')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['switch_name', 'network']).doUpdateSet(next))
      .returningAll()
      .execute()
    on.push(...inserted)
  }
  return on
}

type Row = Selectable<StateTables['engine_switch']>

function eventOf(event: 'switch.on' | 'switch.off', row: Row): AdministrationEvent {
  return {
    event,
    switch_name: row.switch_name,
    client: row.network === EVERYONE ? null : row.network,
    room_name: row.room === '' ? null : row.room,
    acted_by: row.switched_by,
    expires_at: Number(row.expires_at),
  }
}

function toSwitch(row: Row): SwitchOn {
  return {
    name: row.switch_name,
    network: row.network === EVERYONE ? undefined : parseAddressRange(row.network),
    room: row.room === '' ? undefined : row.room,
    by: row.switched_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
