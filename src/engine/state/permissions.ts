// Temporary permissions: each opens a host, or a host and all below it, for everyone or for those in its scope. All of them are in
// memory.
import { randomUUIDv7 } from 'node:crypto'
import type { RawBuilder, Selectable, Transaction } from 'kysely'
import { parseAddressRange, rangeText } from '../../network/address-range.ts'
import type { Clock } from '../clock.ts'
import type { ScopedPermission } from '../policy/opening.ts'
import { after } from './database-clock.ts'
import type { AdministrationEvent } from './events.ts'
import { nextRevision } from './revision.ts'
import type { StateTables } from './schema.ts'
import type { StateDatabase } from './state-database.ts'

export interface Permissions {
  /** The temporary permissions for this host, from memory, whatever their scope. */
  permissionsFor(host: string): readonly Permission[]
  /** The earliest expiry first. */
  permissions(): Promise<readonly Permission[]>
  /** @returns undefined if there are 10,000 already */
  permit(permission: NewPermission): Promise<Permission | undefined>
  /** @returns false if there is no such permission */
  revoke(id: string): Promise<boolean>
}

export interface Permission extends ScopedPermission {
  readonly id: string
  /** As the URL parser spells it, without brackets or a dot at its end. */
  readonly host: string
  /** Whether it covers the hosts below, too. */
  readonly below: boolean
  /** Who permitted it, for the operators. */
  readonly by: string
  /** Milliseconds since the epoch, by the database's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

interface NewPermission extends Pick<Permission, 'host' | 'below' | 'by'>, Partial<ScopedPermission> {
  readonly milliseconds: number
}

export interface PermissionMemory {
  find(host: string): readonly Permission[]
  replace(permissions: readonly Permission[]): void
}

/** Anything beyond this belongs in the policy. */
const MAXIMUM = 10_000
const TABLES = ['engine_permission', 'engine_scoped_permission'] as const
const NONE: readonly Permission[] = []

/** @param syncSoon see `SessionSync` */
export function createPermissions(
  { transactions, clock, events }: Pick<StateDatabase, 'transactions' | 'clock' | 'events'>,
  memory: PermissionMemory,
  syncSoon: () => Promise<void>,
): Permissions {
  return {
    permissionsFor: (host) => memory.find(host),
    permissions: () =>
      transactions.read('list permissions', (transaction) => readPermissions(transaction, clock.now())),
    async permit(permission) {
      const permitted = await transactions.run('permit a host', async (transaction) => {
        await nextRevision(transaction)
        const row = await insertPermission(transaction, clock.now(), permission)
        if (row !== undefined) await events.administered(transaction, [eventOf('permission.granted', row)])
        return row && permissionOf(row)
      })
      await syncSoon()
      return permitted
    },
    async revoke(id) {
      const isRevoked = await transactions.run('revoke a permission', async (transaction) => {
        await nextRevision(transaction)
        const revoked: Row[] = []
        for (const table of TABLES) {
          revoked.push(...(await transaction.deleteFrom(table).where('id', '=', id).returningAll().execute()))
        }
        await events.administered(
          transaction,
          revoked.map((row) => eventOf('permission.ended', row)),
        )
        return revoked.length > 0
      })
      await syncSoon()
      return isRevoked
    },
  }
}

/** @param now by the database's clock */
export function createPermissionMemory(now: Clock): PermissionMemory {
  let byHost = new Map<string, Permission[]>()
  return {
    find(host) {
      if (byHost.size === 0) return NONE
      let found = NONE
      for (let at = host; ; ) {
        const live = byHost.get(at)?.filter(({ below, expiresAt }) => (below || at === host) && expiresAt > now())
        if (live !== undefined) found = [...found, ...live]
        const dot = at.indexOf('.')
        if (dot === -1) return found
        at = at.slice(dot + 1)
      }
    },
    replace(permissions) {
      byHost = Map.groupBy(permissions, ({ host }) => host)
    },
  }
}

export async function readPermissions(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
): Promise<readonly Permission[]> {
  const read = (table: (typeof TABLES)[number]) =>
    transaction
      .selectFrom(table)
      .selectAll()
      .where('expires_at', '>', now)
      .orderBy('expires_at')
      .limit(MAXIMUM)
      .execute()
  const rows = [...(await read('engine_permission')), ...(await read('engine_scoped_permission'))]
  return rows.flatMap((row) => permissionOf(row) ?? []).toSorted((one, other) => one.expiresAt - other.expiresAt)
}

/** @returns undefined if there are too many */
async function insertPermission(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  permission: NewPermission,
): Promise<Row | undefined> {
  const { host, below, by, milliseconds, client, room, user, group, despite } = permission
  let total = 0
  for (const table of TABLES) {
    const counting = transaction.selectFrom(table).select(({ fn }) => fn.countAll().as('rows'))
    total += Number((await counting.executeTakeFirstOrThrow()).rows)
  }
  if (total >= MAXIMUM) return undefined
  const row = {
    id: randomUUIDv7(),
    host,
    below: below ? 1 : 0,
    permitted_by: by,
    created_at: now,
    expires_at: after(now, milliseconds),
  }
  const scope = {
    client_network: client === undefined ? null : rangeText(client),
    room_name: room ?? null,
    user_name: user ?? null,
    group_name: group ?? null,
    despite: despite ?? null,
  }
  const isScoped = Object.values(scope).some((value) => value !== null)
  return isScoped
    ? await transaction
        .insertInto('engine_scoped_permission')
        .values({ ...row, ...scope })
        .returningAll()
        .executeTakeFirstOrThrow()
    : await transaction.insertInto('engine_permission').values(row).returningAll().executeTakeFirstOrThrow()
}

type Row = Selectable<StateTables['engine_permission']> & Partial<Selectable<StateTables['engine_scoped_permission']>>

function eventOf(event: 'permission.granted' | 'permission.ended', row: Row): AdministrationEvent {
  return {
    event,
    host: `${row.below === 1 ? '.' : ''}${row.host}`,
    client: row.client_network ?? null,
    room_name: row.room_name ?? null,
    user_name: row.user_name ?? null,
    group_name: row.group_name ?? null,
    despite: row.despite ?? null,
    acted_by: row.permitted_by,
    expires_at: Number(row.expires_at),
  }
}

/** @returns undefined for a row whose network cannot be read: it must not open its host for everyone */
export function permissionOf(row: Row): Permission | undefined {
  const network = row.client_network ?? undefined
  const client = network === undefined ? undefined : parseAddressRange(network)
  if (network !== undefined && client === undefined) return undefined
  return {
    id: row.id,
    host: row.host,
    below: row.below === 1,
    by: row.permitted_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    client,
    room: row.room_name ?? undefined,
    user: row.user_name ?? undefined,
    group: row.group_name ?? undefined,
    despite: row.despite ?? undefined,
  }
}
