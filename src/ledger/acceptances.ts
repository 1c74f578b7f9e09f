// Acceptances and their attempts, inside a transaction. The first statement of each function locks the acceptance, so
// that two replicas agree on the state that follows from its attempts.
import { randomUUIDv7 } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { LedgerLocation } from './database.ts'
import { carryOver, DERIVED_COLUMNS, deriveAcceptance, pick, SHOWN_COLUMNS } from './derive-acceptance.ts'
import { ATTEMPT_COLUMNS } from './reading.ts'
import type { AcceptanceRecord, AttemptRecord, LedgerTables } from './schema.ts'
import type { AcceptanceState, Outcome } from './state.ts'

/** Attempts of one verdict: one link must not fill the ledger. */
const ATTEMPTS_AT_MOST = 50

/** What is recorded about an acknowledgement of an `aup` verdict: one attempt, and its acceptance. */
export interface AcceptanceRequest {
  /** The verdict's id (`jti`). */
  readonly reference: string
  readonly ruleName: string
  readonly policyVersion: string
  /** Hexadecimal, of the text that was shown. */
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

/** @returns `exhausted` when the verdict has as many attempts as it may have; nothing is recorded then */
export async function beginAttempt(
  transaction: Transaction<LedgerTables>,
  request: AcceptanceRequest,
  now: string,
): Promise<Attempt | 'exhausted'> {
  const { reference } = request
  const shown = {
    policy_version: request.policyVersion,
    document_sha256: request.documentSha256,
    document_source: request.documentSource,
    locale: request.locale,
    client_address: request.clientAddress ?? null,
  }
  const acceptance = await transaction
    .insertInto('acceptance')
    .values({
      id: randomUUIDv7(),
      jti: reference,
      rule_name: request.ruleName,
      ...shown,
      state: 'pending',
      requested_at: now,
      decided_at: null,
      engine_status: null,
      attempts: 1,
      portal_version: request.portalVersion,
    })
    .onConflict((conflict) =>
      conflict
        .column('jti')
        .doUpdateSet({ attempts: sql`acceptance.attempts + 1` })
        .where('acceptance.attempts', '<', ATTEMPTS_AT_MOST),
    )
    .returningAll()
    .executeTakeFirst()
  if (acceptance === undefined) return 'exhausted'
  const earlier = acceptance.attempts === 1 ? [] : await attemptsOf(transaction, acceptance)
  const attempt = { id: randomUUIDv7(), ...shown, asked_at: now, answered_at: null, engine_status: null }
  await transaction
    .insertInto('attempt')
    .values({ ...attempt, jti: reference })
    .execute()
  if (earlier.length > 0) await update(transaction, deriveAcceptance(acceptance, [...earlier, attempt]))
  return { id: attempt.id, reference }
}

/**
 * Does nothing to an attempt that has its answer already.
 * @returns the state that this answer gave the acceptance; undefined when it decided nothing
 */
export async function completeAttempt(
  transaction: Transaction<LedgerTables>,
  dialect: LedgerLocation['dialect'],
  { id, reference }: Attempt,
  outcome: Exclude<Outcome, 'none'>,
  now: string,
): Promise<Exclude<AcceptanceState, 'pending'> | undefined> {
  const acceptance = await transaction
    .selectFrom('acceptance')
    .selectAll()
    .where('jti', '=', reference)
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow(() => new Error('there is no acceptance of this verdict'))
  const answer = { answered_at: now, engine_status: outcome === 'broken' ? null : outcome }
  const { numUpdatedRows } = await transaction
    .updateTable('attempt')
    .set(answer)
    .where('id', '=', id)
    .where('answered_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  const completed = deriveAcceptance(acceptance, await attemptsOf(transaction, acceptance))
  await update(transaction, completed)
  return completed.state === acceptance.state || completed.state === 'pending' ? undefined : completed.state
}

/** Writes what a version before 2026.48 left with the acceptance to its attempt, before the acceptance changes. */
async function attemptsOf(
  transaction: Transaction<LedgerTables>,
  acceptance: AcceptanceRecord,
): Promise<readonly AttemptRecord[]> {
  const stored = await transaction
    .selectFrom('attempt')
    .select(ATTEMPT_COLUMNS)
    .where('jti', '=', acceptance.jti)
    .execute()
  const attempts = carryOver(acceptance, stored)
  for (const attempt of attempts.filter((one) => !stored.includes(one))) {
    await transaction.updateTable('attempt').set(pick(attempt, SHOWN_COLUMNS)).where('id', '=', attempt.id).execute()
  }
  return attempts
}

async function update(transaction: Transaction<LedgerTables>, acceptance: AcceptanceRecord): Promise<void> {
  await transaction
    .updateTable('acceptance')
    .set(pick(acceptance, DERIVED_COLUMNS))
    .where('jti', '=', acceptance.jti)
    .execute()
}
