// Temporary permissions: each opens a host, or a host and all below it, for everyone. All of them are in memory.
import { randomUUIDv7 } from 'node:crypto'
import type { RawBuilder, Selectable, Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { after } from './database-clock.ts'
import { nextRevision } from './revision.ts'
import type { StateTables } from './schema.ts'
import type { StateDatabase } from './state-database.ts'

export interface Permissions {
  /** The temporary permission that opens this host, from memory. */
  permissionFor(host: string): Permission | undefined
  permissions(): Promise<readonly Permission[]>
  /** @returns undefined if there are 10,000 already */
  permit(permission: NewPermission): Promise<Permission | undefined>
  /** @returns false if there is no such permission */
  revoke(id: string): Promise<boolean>
}

export interface Permission {
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

interface NewPermission extends Pick<Permission, 'host' | 'below' | 'by'> {
  readonly milliseconds: number
}

export interface PermissionMemory {
  find(host: string): Permission | undefined
  replace(permissions: readonly Permission[]): void
}

/** Anything beyond this belongs in the policy. */
const MAXIMUM = 10_000

/** @param syncSoon see `SessionSync` */
export function createPermissions(
  { transactions, clock }: Pick<StateDatabase, 'transactions' | 'clock'>,
  memory: PermissionMemory,
  syncSoon: () => Promise<void>,
): Permissions {
  return {
    permissionFor: (host) => memory.find(host),
    permissions: () =>
      transactions.read('list permissions', (transaction) => readPermissions(transaction, clock.now())),
    async permit(permission) {
      const permitted = await transactions.run('permit a host', async (transaction) => {
        await nextRevision(transaction)
        return await insertPermission(transaction, clock.now(), permission)
      })
      await syncSoon()
      return permitted
    },
    async revoke(id) {
      const { numDeletedRows } = await transactions.run('revoke a permission', async (transaction) => {
        await nextRevision(transaction)
        return await transaction.deleteFrom('engine_permission').where('id', '=', id).executeTakeFirst()
      })
      await syncSoon()
      return numDeletedRows > 0n
    },
  }
}

/** @param now by the database's clock */
export function createPermissionMemory(now: Clock): PermissionMemory {
  let byHost = new Map<string, Permission[]>()
  return {
    find(host) {
      for (let at = host; ; ) {
        const found = byHost.get(at)?.find(({ below, expiresAt }) => (below || at === host) && expiresAt > now())
        if (found !== undefined) return found
        const dot = at.indexOf('.')
        if (dot === -1 || byHost.size === 0) return undefined
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
  const rows = await transaction
    .selectFrom('engine_permission')
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('expires_at')
    .limit(MAXIMUM)
    .execute()
  return rows.map(toPermission)
}

/** @returns undefined if there are too many */
async function insertPermission(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  { host, below, by, milliseconds }: NewPermission,
): Promise<Permission | undefined> {
  const { total } = await transaction
    .selectFrom('engine_permission')
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow()
  if (Number(total) >= MAXIMUM) return undefined
  const row = await transaction
    .insertInto('engine_permission')
    .values({
      id: randomUUIDv7(),
      host,
      below: below ? 1 : 0,
      permitted_by: by,
      created_at: now,
      expires_at: after(now, milliseconds),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toPermission(row)
}

function toPermission(row: Selectable<StateTables['engine_permission']>): Permission {
  return {
    id: row.id,
    host: row.host,
    below: row.below === 1,
    by: row.permitted_by,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  }
}
