// Writes acceptances and their attempts, inside a transaction. The first statement of each function locks the acceptance,
// so that replicas derive its state from the same attempts.
import { randomUUIDv7 } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { DatabaseLocation } from '../settings/sections/database.ts'
import { DERIVED_COLUMNS, deriveAcceptance, pick } from './derive-acceptance.ts'
import { OPEN_MS } from './heads/leaf.ts'
import { type AcceptanceRecord, ATTEMPT_COLUMNS, type AttemptRecord, type LedgerTables } from './schema.ts'
import type { AcceptanceState, Outcome } from './state.ts'

/** Per verdict: one link cannot fill the ledger. */
const MAX_ATTEMPTS = 50
/** No engine takes this long. Half of the time after which a head covers the attempt as unanswered. */
const MAX_OPEN_MS = OPEN_MS / 2

/** What is recorded about an acknowledgement of an `aup` verdict: one attempt, and its acceptance. */
export interface AcceptanceRequest {
  /** The verdict's id (`jti`). */
  readonly reference: string
  readonly ruleName: string
  readonly policyVersion: string
  /** Hexadecimal, of the text that was shown. */
  readonly documentSha256: string
  /** `shown` if the visitor's cookie names the text, `assumed` without a cookie. */
  readonly documentSource: 'shown' | 'assumed'
  readonly locale: string
  readonly portalVersion: string
  /** Undefined unless the operator has it recorded. */
  readonly clientAddress: string | undefined
}

/** One request to the engine about one verdict. */
export interface Attempt {
  readonly id: string
  readonly reference: string
}

/** @returns `exhausted` if the verdict has reached its limit of attempts; nothing is recorded then */
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
        .where('acceptance.attempts', '<', MAX_ATTEMPTS),
    )
    .returningAll()
    .executeTakeFirst()
  if (acceptance === undefined) return 'exhausted'
  const earlier = acceptance.attempts === 1 ? [] : await attemptsOf(transaction, reference)
  const attempt = { id: randomUUIDv7(), ...shown, asked_at: now, answered_at: null, engine_status: null }
  await transaction
    .insertInto('attempt')
    .values({ ...attempt, jti: reference })
    .execute()
  if (earlier.length > 0) await update(transaction, deriveAcceptance(acceptance, [...earlier, attempt]))
  return { id: attempt.id, reference }
}

const TRIAL: Omit<AcceptanceRequest, 'reference'> = {
  ...{ ruleName: 'readiness', policyVersion: '', documentSha256: '', documentSource: 'assumed' },
  ...{ locale: '', portalVersion: '', clientAddress: undefined },
}

/** Records an acceptance and removes it in the same transaction, so that nobody sees it; the pages are written all the same. */
export async function tryRecording(transaction: Transaction<LedgerTables>, now: string): Promise<void> {
  const jti = `readiness ${randomUUIDv7()}`
  await beginAttempt(transaction, { ...TRIAL, reference: jti }, now)
  await transaction.deleteFrom('attempt').where('jti', '=', jti).execute()
  await transaction.deleteFrom('acceptance').where('jti', '=', jti).execute()
}

/**
 * Leaves an attempt unchanged that is completed, or more than half a day old.
 * @returns the acceptance's new state; undefined if it did not change
 */
export async function completeAttempt(
  transaction: Transaction<LedgerTables>,
  dialect: DatabaseLocation['dialect'],
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
  const completion = { answered_at: now, engine_status: outcome === 'broken' ? null : outcome }
  const { numUpdatedRows } = await transaction
    .updateTable('attempt')
    .set(completion)
    .where('id', '=', id)
    .where('answered_at', 'is', null)
    .where('asked_at', '>', new Date(Date.parse(now) - MAX_OPEN_MS).toISOString())
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  const completed = deriveAcceptance(acceptance, await attemptsOf(transaction, reference))
  await update(transaction, completed)
  return completed.state === acceptance.state || completed.state === 'pending' ? undefined : completed.state
}

async function attemptsOf(
  transaction: Transaction<LedgerTables>,
  reference: string,
): Promise<readonly AttemptRecord[]> {
  return await transaction.selectFrom('attempt').select(ATTEMPT_COLUMNS).where('jti', '=', reference).execute()
}

async function update(transaction: Transaction<LedgerTables>, acceptance: AcceptanceRecord): Promise<void> {
  await transaction
    .updateTable('acceptance')
    .set(pick(acceptance, DERIVED_COLUMNS))
    .where('jti', '=', acceptance.jti)
    .execute()
}
