// Redeems a verdict, inside a transaction: its first redemption mints a session, later ones mint nothing.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { StateTables } from '../schema.ts'

export interface Redemption {
  /** The verdict's id. */
  readonly reference: string
  readonly rule: string
  readonly holder: string
  readonly clientAddress: string
  readonly sessionMs: number
  /** For how long the verdict can still be redeemed. */
  readonly redeemableMs: number
}

/** @returns when the new session ends, by the database's clock; undefined if the verdict had been redeemed */
export async function redeem(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  redemption: Redemption,
): Promise<number | undefined> {
  const { reference, rule, holder, clientAddress, sessionMs, redeemableMs } = redemption
  const later = (milliseconds: number) => sql<number>`${now} + cast(${milliseconds} as bigint)`
  const first = await transaction
    .insertInto('engine_redemption')
    .values({ reference, expires_at: later(redeemableMs) })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('reference')
    .executeTakeFirst()
  if (first === undefined) return undefined
  const expiresAt = later(sessionMs)
  const session = await transaction
    .insertInto('engine_session')
    .values({
      holder,
      rule_name: rule,
      client_address: clientAddress,
      reference,
      started_at: now,
      expires_at: expiresAt,
    })
    .onConflict((conflict) =>
      conflict.columns(['holder', 'rule_name']).doUpdateSet({
        client_address: clientAddress,
        reference,
        started_at: now,
        // Never shorter than what another acknowledgement has opened.
        expires_at: sql<number>`case when engine_session.expires_at > ${expiresAt} then engine_session.expires_at else ${expiresAt} end`,
      }),
    )
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return Number(session.expires_at)
}
