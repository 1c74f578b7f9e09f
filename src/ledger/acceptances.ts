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

/** A payload that is sent again and again must not fill the ledger. */
const MAXIMUM_ATTEMPTS = 50

export class AttemptsExhausted extends Error {
  constructor() {
    super(`a verdict has at most ${MAXIMUM_ATTEMPTS} attempts`)
  }
}

/** @returns undefined, with nothing written, when the verdict has no attempt left */
export async function beginAttempt(
  transaction: Transaction<LedgerTables>,
  request: AcceptanceRequest,
  now: string,
): Promise<Attempt | undefined> {
  const attempt = { id: randomUUIDv7(), reference: request.reference }
  const acceptance = await transaction
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
      conflict
        .column('jti')
        .doUpdateSet({
          attempts: sql`acceptance.attempts + 1`,
          // Accepted is for good; with this unanswered attempt anything else is pending.
          state: sql`case when acceptance.state = 'accepted' then 'accepted' else 'pending' end`,
          decided_at: sql`case when acceptance.state = 'accepted' then acceptance.decided_at end`,
          engine_status: sql`case when acceptance.state = 'accepted' then acceptance.engine_status end`,
        })
        .where('acceptance.attempts', '<', MAXIMUM_ATTEMPTS),
    )
    .returning('id')
    .executeTakeFirst()
  if (acceptance === undefined) return undefined
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
  const derived = deriveState(await decidingStatuses(transaction, attempt.reference))
  if (derived === 'pending') return undefined
  await transaction
    .updateTable('acceptance')
    .set({ state: derived, decided_at: now, engine_status: engineStatus })
    .where('jti', '=', attempt.reference)
    .execute()
  return derived
}

/**
 * Those of the statuses that the state follows from: none, a 302, the least and the greatest. Each is found by the index,
 * because a visitor may ask a million times about one verdict.
 */
async function decidingStatuses(transaction: Transaction<LedgerTables>, jti: string): Promise<(number | null)[]> {
  const { unanswered, redirects, least, greatest } = await transaction
    .selectNoFrom(({ selectFrom }) => {
      const attempts = selectFrom('attempt').where('jti', '=', jti)
      return [
        attempts.select('jti').where('engine_status', 'is', null).limit(1).as('unanswered'),
        attempts.select('jti').where('engine_status', '=', 302).limit(1).as('redirects'),
        attempts.select(({ fn }) => fn.min('engine_status').as('status')).as('least'),
        attempts.select(({ fn }) => fn.max('engine_status').as('status')).as('greatest'),
      ]
    })
    .executeTakeFirstOrThrow()
  const answered = least === null || greatest === null ? [] : [least, greatest]
  return [...answered, ...(unanswered === null ? [] : [null]), ...(redirects === null ? [] : [302])]
}
