// Merges two records of one acceptance. Attempts are only added and completed, so that merging is commutative,
// associative and idempotent.
import {
  compare,
  DERIVED_COLUMNS,
  deriveAcceptance,
  pick,
  SHOWN_COLUMNS,
  sortedBy,
} from '../../../../ledger/derive-acceptance.ts'
import { ACCEPTANCE_COLUMNS, ATTEMPT_COLUMNS, type AttemptRecord } from '../../../../ledger/schema.ts'
import type { AcceptanceWithAttempts } from './reading.ts'

const CHANGING = new Set<string>([...DERIVED_COLUMNS, 'attempts'])
const WRITTEN_ONCE = ACCEPTANCE_COLUMNS.filter((column) => !CHANGING.has(column))

/**
 * The record of one verdict from two ledgers. If each created its own, the earlier one gets the attempts of both.
 * @returns undefined if they contradict each other, or one contradicts its own attempts: it was altered
 */
export function mergeAcceptances(
  one: AcceptanceWithAttempts,
  other: AcceptanceWithAttempts,
): AcceptanceWithAttempts | undefined {
  // Equal records stay as they are: an older version may have derived them by its own rule.
  if (serialize(one) === serialize(other)) return one
  if (!isConsistent(one) || !isConsistent(other)) return undefined
  if (one.id === other.id && WRITTEN_ONCE.some((column) => one[column] !== other[column])) return undefined
  const attempts = mergedAttempts(one.attempt_records, other.attempt_records)
  if (attempts === undefined) return undefined
  const [first = one] = [one, other].sort((a, b) => compare(a.requested_at, b.requested_at) || compare(a.id, b.id))
  const record = {
    ...first,
    ...acceptedWithoutAttempts(one, other),
    attempts: Math.max(one.attempts, other.attempts, attempts.length),
    attempt_records: attempts,
  }
  return deriveAcceptance(record, attempts)
}

/** One line with every value, in an order that does not depend on the database. */
export function serialize(acceptance: AcceptanceWithAttempts): string {
  const attempts = acceptance.attempt_records
    .map((attempt) => ATTEMPT_COLUMNS.map((column) => attempt[column]))
    .sort(([one], [other]) => compare(`${one}`, `${other}`))
  return `${JSON.stringify([...ACCEPTANCE_COLUMNS.map((column) => acceptance[column]), attempts])}\n`
}

/**
 * Whether the shown columns are those of an attempt, and an accepted acceptance has an attempt with a 302. Not necessarily
 * the deciding attempt: version 2026.47 did not update the shown columns.
 */
function isConsistent({ attempt_records: attempts, ...acceptance }: AcceptanceWithAttempts): boolean {
  if (attempts.length === 0) return true
  if (acceptance.state === 'accepted' && attempts.every(({ engine_status }) => engine_status !== 302)) return false
  return attempts.some((attempt) => isEqual(attempt, acceptance, SHOWN_COLUMNS))
}

/** The derived columns of the earlier accepted side: its deciding attempt may be missing. */
function acceptedWithoutAttempts(one: AcceptanceWithAttempts, other: AcceptanceWithAttempts) {
  const [decision] = [one, other]
    .filter(({ state }) => state === 'accepted')
    .map((side) => pick(side, DERIVED_COLUMNS))
    .sort((a, b) => compare(`${a.decided_at}`, `${b.decided_at}`) || compare(JSON.stringify(a), JSON.stringify(b)))
  return decision
}

function mergedAttempts(
  some: readonly AttemptRecord[],
  others: readonly AttemptRecord[],
): readonly AttemptRecord[] | undefined {
  const byId = new Map(some.map((attempt) => [attempt.id, attempt]))
  for (const attempt of others) {
    const whole = mergedAttempt(byId.get(attempt.id) ?? attempt, attempt)
    if (whole === undefined) return undefined
    byId.set(attempt.id, whole)
  }
  return sortedBy([...byId.values()], 'asked_at')
}

const ANSWER_COLUMNS = ['answered_at', 'engine_status'] as const

/** Takes the outcome from whichever side has it. */
function mergedAttempt(one: AttemptRecord, other: AttemptRecord): AttemptRecord | undefined {
  const answered = [one, other].filter(({ answered_at }) => answered_at !== null)
  const whole = { ...one, ...pick(answered[0] ?? one, ANSWER_COLUMNS) }
  const isSame =
    isEqual(one, other, ['asked_at', ...SHOWN_COLUMNS]) &&
    answered.every((side) => isEqual(side, whole, ANSWER_COLUMNS))
  return isSame ? whole : undefined
}

function isEqual<Column extends string>(
  one: Readonly<Record<Column, unknown>>,
  other: Readonly<Record<Column, unknown>>,
  columns: readonly Column[],
): boolean {
  return columns.every((column) => one[column] === other[column])
}
