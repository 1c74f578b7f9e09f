// Acceptances and their attempts, inside a transaction. The first statement of each function locks the acceptance, so
// that two replicas agree on the state that follows from its attempts.
import { randomUUIDv7 } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { LedgerLocation } from './database.ts'
import type { LedgerTables } from './schema.ts'
import { type AcceptanceState, deriveState, type Outcome } from './state.ts'

/** What is recorded about an acknowledgement of an `aup` verdict. */
export interface AcceptanceRequest {
  /** The verdict's id (`jti`). */
  readonly reference: string
  readonly ruleName: string
  readonly policyVersion: string
  /** Hexadecimal, of the text that was accepted. */
  readonly documentSha256: string
  /** `shown` when the visitor's own cookie says so, `assumed` without it. */
  readonly documentSource: 'shown' | 'assumed'
  readonly locale: string
  readonly portalVersion: string
  /** Undefined unless the operator wants it kept. */
  readonly clientAddress: string | undefined
}

/** One question to the engine about one verdict. */
export interface Attempt {
  readonly id: string
  readonly reference: string
}

export async function beginAttempt(
  transaction: Transaction<LedgerTables>,
  request: AcceptanceRequest,
  now: string,
): Promise<Attempt> {
  const attempt = { id: randomUUIDv7(), reference: request.reference }
  await transaction
    .insertInto('acceptance')
    .values({
      id: randomUUIDv7(),
      jti: request.reference,
      rule_name: request.ruleName,
      policy_version: request.policyVersion,
      document_sha256: request.documentSha256,
      document_source: request.documentSource,
      locale: request.locale,
      state: 'pending',
      requested_at: now,
      decided_at: null,
      engine_status: null,
      attempts: 1,
      portal_version: request.portalVersion,
      client_address: request.clientAddress ?? null,
    })
    .onConflict((conflict) =>
      conflict.column('jti').doUpdateSet({
        attempts: sql`acceptance.attempts + 1`,
        // Accepted is for good; with this unanswered attempt anything else is pending.
        state: sql`case when acceptance.state = 'accepted' then 'accepted' else 'pending' end`,
        decided_at: sql`case when acceptance.state = 'accepted' then acceptance.decided_at end`,
        engine_status: sql`case when acceptance.state = 'accepted' then acceptance.engine_status end`,
      }),
    )
    .execute()
  await transaction
    .insertInto('attempt')
    .values({ id: attempt.id, jti: attempt.reference, asked_at: now, answered_at: null, engine_status: null })
    .execute()
  return attempt
}

/**
 * Does nothing to an attempt that has its answer already.
 * @returns the state that this answer gave the acceptance; undefined when it decided nothing
 */
export async function completeAttempt(
  transaction: Transaction<LedgerTables>,
  dialect: LedgerLocation['dialect'],
  attempt: Attempt,
  outcome: Exclude<Outcome, 'none'>,
  now: string,
): Promise<Exclude<AcceptanceState, 'pending'> | undefined> {
  const { state } = await transaction
    .selectFrom('acceptance')
    .select('state')
    .where('jti', '=', attempt.reference)
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow(() => new Error('there is no acceptance of this verdict'))
  const engineStatus = outcome === 'broken' ? null : outcome
  const { numUpdatedRows } = await transaction
    .updateTable('attempt')
    .set({ answered_at: now, engine_status: engineStatus })
    .where('id', '=', attempt.id)
    .where('answered_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n || state === 'accepted') return undefined
  const statuses = await transaction
    .selectFrom('attempt')
    .select('engine_status')
    .distinct()
    .where('jti', '=', attempt.reference)
    .execute()
  const derived = deriveState(statuses.map(({ engine_status }) => engine_status))
  if (derived === 'pending') return undefined
  await transaction
    .updateTable('acceptance')
    .set({ state: derived, decided_at: now, engine_status: engineStatus })
    .where('jti', '=', attempt.reference)
    .execute()
  return derived
}
