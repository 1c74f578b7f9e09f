// Who uses an address, as a RADIUS or DHCP server reports it. All live reports are in memory.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { createExpiringMap } from './expiring-map.ts'
import { nextRevision } from './revision.ts'
import type { StateTables } from './schema.ts'
import type { StateDatabase } from './state-database.ts'

export interface Presences {
  /** The user who was reported last, from memory; as reported, with domain and realm. @param address canonical */
  userAt(address: string): string | undefined
  /** Ends what was reported about the address before. */
  reportPresence(report: PresenceReport): Promise<ReportResult>
  /**
   * @param isTheirs whether the user who was reported last is meant
   * @returns that user; undefined if nothing was ended
   */
  endPresence(address: string, isTheirs: (user: string) => boolean): Promise<string | undefined>
}

interface PresenceReport {
  readonly address: string
  /** As `parseUser` returns it without affixes: a reload may change them. */
  readonly user: string
  /** Milliseconds since the epoch. After twelve hours the report ends in any case. */
  readonly until: number
}

type ReportResult =
  /** `previous` is the user until now; undefined if there was none. */
  | { readonly kind: 'stored'; readonly previous: string | undefined; readonly expiresAt: number }
  /** No further address can be stored. */
  | { readonly kind: 'full' }

interface StoredPresence {
  readonly client_address: string
  readonly user_name: string
  /** Milliseconds since the epoch, by the database's clock. */
  readonly expires_at: number | string
}

export interface PresenceMemory {
  find(address: string): string | undefined
  /** Adds or replaces these, and deletes those that have ended. */
  apply(presences: readonly StoredPresence[]): void
  clear(): void
  sweep(): void
}

export const MAXIMUM_PRESENCES = 100_000
const MAXIMUM_MS = 12 * 3_600_000

/** @param now by the database's clock */
export function createPresenceMemory(now: Clock): PresenceMemory {
  let live = createExpiringMap<string>(now, MAXIMUM_PRESENCES)
  return {
    find: (address) => live.get(address),
    apply(presences) {
      for (const { client_address, user_name, expires_at } of presences) {
        if (Number(expires_at) > now()) live.set(client_address, user_name, Number(expires_at))
        else live.delete(client_address)
      }
    },
    clear() {
      live = createExpiringMap<string>(now, MAXIMUM_PRESENCES)
    },
    sweep: () => live.sweep(),
  }
}

/** @param syncSoon see `SessionSync` */
export function createPresences(
  { transactions, clock, rowLimits }: Pick<StateDatabase, 'transactions' | 'clock' | 'rowLimits'>,
  memory: PresenceMemory,
  syncSoon: () => Promise<void>,
): Presences {
  return {
    userAt: (address) => memory.find(address),
    async reportPresence({ address, user, until }) {
      const expiresAt = Math.floor(Math.min(until, clock.current() + MAXIMUM_MS))
      const result = await transactions.run('report a user', async (transaction) => {
        const revision = await nextRevision(transaction)
        const known = await find(transaction, address)
        if (known === undefined && rowLimits.room('presences') === 0) return undefined
        const next = { user_name: user, expires_at: sql<number>`cast(${expiresAt} as bigint)`, revision }
        await transaction
          .insertInto('engine_presence')
          .values({ client_address: address, ...next })
          .onConflict((conflict) => conflict.column('client_address').doUpdateSet(next))
          .execute()
        return { known }
      })
      if (result === undefined) return { kind: 'full' }
      const { known } = result
      if (known === undefined) rowLimits.added('presences', 1)
      await syncSoon()
      const previous = known !== undefined && Number(known.expires_at) > clock.current() ? known.user_name : undefined
      return { kind: 'stored', previous, expiresAt }
    },
    async endPresence(address, isTheirs) {
      const ended = await transactions.run('end a report', async (transaction) => {
        const revision = await nextRevision(transaction)
        const known = await find(transaction, address)
        if (known === undefined || !isTheirs(known.user_name)) return undefined
        const { numUpdatedRows } = await transaction
          .updateTable('engine_presence')
          .set({ expires_at: sql<number>`-(${clock.now()})`, revision })
          .where('client_address', '=', address)
          .where('expires_at', '>', clock.now())
          .executeTakeFirst()
        return numUpdatedRows > 0n ? known.user_name : undefined
      })
      await syncSoon()
      return ended
    },
  }
}

/** Also one that has ended. */
async function find(transaction: Transaction<StateTables>, address: string) {
  return await transaction
    .selectFrom('engine_presence')
    .select(['user_name', 'expires_at'])
    .where('client_address', '=', address)
    .executeTakeFirst()
}

/** @param known the revision since which reports have changed; undefined for all that are live */
export async function readPresences(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  known: number | undefined,
): Promise<readonly StoredPresence[]> {
  const presences = transaction.selectFrom('engine_presence').select(['client_address', 'user_name', 'expires_at'])
  if (known !== undefined)
    return await presences.where('revision', '>', sql<number>`cast(${known} as bigint)`).execute()
  return await presences.where('expires_at', '>', now).orderBy('expires_at', 'desc').limit(MAXIMUM_PRESENCES).execute()
}
