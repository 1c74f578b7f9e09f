// Verifies what no leaf covers by itself: that each acceptance follows from its attempts, that no older attempt lacks a leaf,
// and the texts.
import { hash } from 'node:crypto'
import type { Transaction } from 'kysely'
import { DERIVED_COLUMNS, deriveAcceptance } from '../../../../ledger/derive-acceptance.ts'
import { completedAt, LATE_MS } from '../../../../ledger/heads/leaf.ts'
import { ACCEPTANCE_COLUMNS, type AcceptanceRecord, type LedgerTables } from '../../../../ledger/schema.ts'
import type { ExistingLedger } from '../ledger/existing-ledger.ts'
import { type AcceptanceWithAttempts, withAttempts } from '../ledger/reading.ts'
import { type Findings, recordedAt } from './findings.ts'

const BATCH = 500
/** There is a head every hour. */
const UNCOVERED_MS = 3_600_000 + LATE_MS
/** It did not update the shown columns of an acceptance with further attempts. */
const DERIVED_DIFFERENTLY = /^2026\.47\b/
const MAX_LISTED = 100

/**
 * @param coveredUntil the newest `until` of heads that no other one follows; undefined without heads
 * @returns how many attempts no head covers yet
 */
export async function verifyAcceptances(
  ledger: ExistingLedger,
  coveredUntil: string | undefined,
  findings: Findings,
): Promise<number> {
  const oldest = coveredUntil === undefined ? Number.NEGATIVE_INFINITY : Date.parse(coveredUntil) - UNCOVERED_MS
  const texts = new Set<string>()
  let uncovered = 0
  let previous: AcceptanceRecord | undefined
  do {
    const batch = await ledger.read('read acceptances', (transaction) => readBatch(transaction, previous))
    for (const acceptance of batch) verifyAcceptance(acceptance)
    previous = batch.length < BATCH ? undefined : batch.at(-1)
  } while (previous !== undefined)
  await ledger.read('read attempts', (transaction) => verifyOrphans(transaction, findings))
  await ledger.read('read texts', (transaction) => verifyTexts(transaction, texts, findings))
  return uncovered

  function verifyAcceptance(acceptance: CoveredAcceptance): void {
    const { jti, id, requested_at, attempt_records, leaves } = acceptance
    for (const attempt of attempt_records) {
      texts.add(attempt.document_sha256)
      if (leaves.has(attempt.id)) continue
      uncovered++
      if (completedAt(attempt) >= oldest) continue
      const at = recordedAt(attempt.id, attempt.asked_at)
      const detail = `completed before ${coveredUntil}, and no head covers it`
      findings.add({ what: 'attempt', problem: 'inserted', at, id: attempt.id, jti, detail })
    }
    const detail = contradiction(acceptance)
    if (detail !== undefined)
      findings.add({ what: 'acceptance', problem: 'changed', at: requested_at, id, jti, detail })
  }
}

interface CoveredAcceptance extends AcceptanceWithAttempts {
  /** By attempt: whether one of its leaves covers the acceptance's columns as they are. */
  readonly leaves: ReadonlyMap<string, boolean>
}

async function readBatch(
  transaction: Transaction<LedgerTables>,
  previous: AcceptanceRecord | undefined,
): Promise<readonly CoveredAcceptance[]> {
  let query = transaction
    .selectFrom('acceptance')
    .select(ACCEPTANCE_COLUMNS)
    .orderBy('requested_at')
    .orderBy('id')
    .limit(BATCH)
  if (previous !== undefined) {
    const { requested_at, id } = previous
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('requested_at', 'id'), '>', tuple(requested_at, id)))
  }
  const acceptances = await withAttempts(transaction, await query.execute())
  const leaves =
    acceptances.length === 0
      ? []
      : await transaction
          .selectFrom('attempt')
          .innerJoin('ledger_leaf', 'ledger_leaf.attempt_id', 'attempt.id')
          .select(['attempt.jti', 'attempt.id', 'ledger_leaf.before_merge'])
          .where(
            'attempt.jti',
            'in',
            acceptances.map(({ jti }) => jti),
          )
          .execute()
  const byReference = Map.groupBy(leaves, ({ jti }) => jti)
  return acceptances.map((acceptance) => {
    const covered = new Map<string, boolean>()
    for (const { id, before_merge } of byReference.get(acceptance.jti) ?? []) {
      covered.set(id, covered.get(id) === true || before_merge === null)
    }
    return { ...acceptance, leaves: covered }
  })
}

/** Why the acceptance cannot be what its attempts make of it. */
function contradiction({ attempt_records: attempts, leaves, ...acceptance }: CoveredAcceptance): string | undefined {
  if (acceptance.attempts !== attempts.length)
    return `it counts ${acceptance.attempts} attempts, and has ${attempts.length}`
  if (acceptance.state === 'accepted' && attempts.every(({ engine_status }) => engine_status !== 302)) {
    return 'it is accepted, and no attempt has the status 302'
  }
  const derived = deriveAcceptance(acceptance, attempts)
  const columns = DERIVED_DIFFERENTLY.test(acceptance.portal_version) ? (['state'] as const) : DERIVED_COLUMNS
  const column = columns.find((name) => derived[name] !== acceptance[name])
  if (column !== undefined) return `its ${column} does not follow from its attempts`
  const isCovered = attempts.some(({ id }) => leaves.get(id) ?? true)
  return isCovered ? undefined : 'no leaf covers its id, rule and time'
}

/** Attempts of no acceptance: no query for acceptances finds them. */
async function verifyOrphans(transaction: Transaction<LedgerTables>, findings: Findings): Promise<void> {
  const orphans = await transaction
    .selectFrom('attempt')
    .leftJoin('acceptance', 'acceptance.jti', 'attempt.jti')
    .select(['attempt.id', 'attempt.jti', 'attempt.asked_at'])
    .where('acceptance.id', 'is', null)
    .limit(MAX_LISTED)
    .execute()
  for (const { id, jti, asked_at } of orphans) {
    const at = recordedAt(id, asked_at)
    findings.add({ what: 'attempt', problem: 'changed', at, id, jti, detail: 'it has no acceptance' })
  }
}

async function verifyTexts(transaction: Transaction<LedgerTables>, used: ReadonlySet<string>, findings: Findings) {
  const documents = await transaction.selectFrom('document').select(['sha256', 'text', 'kept_at']).execute()
  for (const { sha256, text, kept_at } of documents) {
    if (hash('sha256', text) === sha256) continue
    findings.add({
      what: 'text',
      problem: 'changed',
      at: kept_at,
      id: sha256,
      jti: null,
      detail: 'it does not have its hash',
    })
  }
  const kept = new Set(documents.map(({ sha256 }) => sha256))
  for (const sha256 of [...used].filter((one) => !kept.has(one)).slice(0, MAX_LISTED)) {
    findings.add({ what: 'text', problem: 'removed', at: '', id: sha256, jti: null, detail: 'attempts name it' })
  }
}
