// Redeems verdicts, each in one transaction: its first redemption mints a session, later ones mint nothing.
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Identity } from '../../request/decision-request.ts'
import { countedAttempt, type RightCode, settleAttempts } from '../attempts.ts'
import { after } from '../database-clock.ts'
import type { AboutVerdict } from '../events.ts'
import { sessionHolder } from '../holder.ts'
import { holdLessonCode } from '../lesson-codes.ts'
import type { StateTables } from '../schema.ts'
import type { StateDatabase } from '../state-database.ts'
import type { SessionMemory } from './session-memory.ts'
import type { SessionSync } from './session-sync.ts'

export interface Redemptions {
  /**
   * The first redemption of a verdict mints a session, a later one nothing; a code that was right resets the attempts, or takes
   * back its own. A session that a lesson code opens ends with the code.
   * If somebody has ended the code meanwhile, nothing is redeemed.
   */
  redeem(redemption: NewRedemption): Promise<{ readonly repeated: boolean; readonly codeEnded?: true }>
}

export interface NewRedemption extends AboutVerdict {
  /** The verdict's id. */
  readonly reference: string
  readonly rule: string
  readonly identity: Identity
  readonly sessionMs: number
  /** For how long the verdict can still be redeemed. */
  readonly redeemableMs: number
  /** The code that was right; undefined for a rule without codes. */
  readonly rightCode: RightCode | undefined
}

export function createRedemptions(database: StateDatabase, memory: SessionMemory, sync: SessionSync): Redemptions {
  const { clock, events } = database
  return {
    async redeem(redemption) {
      const { rule, identity } = redemption
      const { revision } = sync
      const lessonCode = redemption.rightCode?.lessonCode
      const expires_at = await database.runForVisitor(
        'redeem a verdict',
        identity.client.network,
        async (transaction) => {
          const end = lessonCode === undefined ? Infinity : await holdLessonCode(transaction, clock.now(), lessonCode)
          if (end === undefined) return 'code ended'
          const expiresAt = await insertSession(transaction, clock.now(), redemption, end)
          await settleAttempts(transaction, database, redemption)
          const attempt = countedAttempt(database, redemption.reference, redemption.rightCode)
          const acknowledgement = { ...redemption, attempt }
          if (expiresAt === undefined) await events.repeated(transaction, acknowledgement)
          else await events.accepted(transaction, { ...acknowledgement, lessonCode, expiresAt })
          return expiresAt
        },
      )
      if (expires_at === 'code ended') return { repeated: false, codeEnded: true }
      // If the memory has been synced in the meantime, the session may have been ended: it will be looked up.
      if (expires_at !== undefined && sync.revision === revision) {
        memory.apply([{ holder: sessionHolder(identity), rule_name: rule, expires_at }])
      }
      return { repeated: expires_at === undefined }
    },
  }
}

/**
 * @param end when the session has to end, by the database's clock
 * @returns when the new session ends, by the database's clock; undefined if the verdict had been redeemed
 */
async function insertSession(
  transaction: Transaction<StateTables>,
  now: RawBuilder<number>,
  { reference, rule, identity, sessionMs, redeemableMs, rightCode }: NewRedemption,
  end: number,
): Promise<number | undefined> {
  const holder = sessionHolder(identity)
  const clientAddress = identity.client.address
  const first = await transaction
    .insertInto('engine_redemption')
    .values({ reference, expires_at: after(now, redeemableMs) })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returning('reference')
    .executeTakeFirst()
  if (first === undefined) return undefined
  const whole = after(now, sessionMs)
  const expiresAt =
    end === Infinity ? whole : sql<number>`case when ${whole} < ${integer(end)} then ${whole} else ${integer(end)} end`
  const lessonCode = rightCode?.lessonCode ?? null
  // Never shorter than what another acknowledgement has opened.
  const isLonger = sql<boolean>`engine_session.expires_at > ${expiresAt}`
  const session = await transaction
    .insertInto('engine_session')
    .values({
      holder,
      rule_name: rule,
      client_address: clientAddress,
      reference,
      started_at: now,
      expires_at: expiresAt,
      lesson_code: lessonCode,
    })
    .onConflict((conflict) =>
      conflict.columns(['holder', 'rule_name']).doUpdateSet({
        client_address: clientAddress,
        reference,
        started_at: now,
        expires_at: sql<number>`case when ${isLonger} then engine_session.expires_at else ${expiresAt} end`,
        lesson_code: sql<string>`case when ${isLonger} then engine_session.lesson_code else cast(${lessonCode} as text) end`,
      }),
    )
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return Number(session.expires_at)
}

/** Numbers are bound as floating point. */
function integer(milliseconds: number): RawBuilder<number> {
  return sql<number>`cast(${milliseconds} as bigint)`
}
