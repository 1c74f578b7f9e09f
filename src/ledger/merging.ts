// One acceptance that two ledgers know: what both together know of it. Attempts are only ever added and completed, so
// that the order in which ledgers are merged makes no difference, nor how often.
import { compare, DERIVED_COLUMNS, deriveAcceptance, sortedBy, hasShownColumns, pick, SHOWN_COLUMNS } from './derive-acceptance.ts'
import { ACCEPTANCE_COLUMNS, type AcceptanceWithAttempts, ATTEMPT_COLUMNS } from './reading.ts'
import type { AttemptRecord } from './schema.ts'

const CHANGING = new Set<string>([...DERIVED_COLUMNS, 'attempts'])
const WRITTEN_ONCE = ACCEPTANCE_COLUMNS.filter((column) => !CHANGING.has(column))

/**
 * The same verdict in two ledgers, as one record. Where both wrote it down for themselves, it is the earlier one with the
 * attempts of both.
 * @returns undefined when they contradict each other, or one of them contradicts its own attempts: it was altered
 */
export function merged(one: AcceptanceWithAttempts, other: AcceptanceWithAttempts): AcceptanceWithAttempts | undefined {
  // An older version decided by another rule: two equal records stay as they are.
  if (line(one) === line(other)) return one
  if (!agrees(one) || !agrees(other)) return undefined
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

/** Every value in an order that no database decides. */
export function line(acceptance: AcceptanceWithAttempts): string {
  const attempts = acceptance.attempt_records
    .map((attempt) => ATTEMPT_COLUMNS.map((column) => attempt[column]))
    .sort(([one], [other]) => compare(`${one}`, `${other}`))
  return `${JSON.stringify([...ACCEPTANCE_COLUMNS.map((column) => acceptance[column]), attempts])}\n`
}

/**
 * Whether the acceptance has what one of its attempts was shown, and the engine's yes of one of them. Not necessarily of
 * the one that decided: an older replica does not update what was shown.
 */
function agrees({ attempt_records: attempts, ...acceptance }: AcceptanceWithAttempts): boolean {
  if (attempts.length === 0) return true
  if (acceptance.state === 'accepted' && attempts.every(({ engine_status }) => engine_status !== 302)) return false
  const known = attempts.filter(hasShownColumns)
  return known.length === 0 || known.some((attempt) => isEqual(attempt, acceptance, SHOWN_COLUMNS))
}

/** What the sides have that were accepted, where the attempt that decided may be missing; of two, the earlier one. */
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

/** The answer of the side that has it, and what was shown of the side that has that. */
function mergedAttempt(one: AttemptRecord, other: AttemptRecord): AttemptRecord | undefined {
  const answered = [one, other].filter(({ answered_at }) => answered_at !== null)
  const shown = [one, other].filter(hasShownColumns)
  const whole = { ...one, ...pick(answered[0] ?? one, ANSWER_COLUMNS), ...pick(shown[0] ?? one, SHOWN_COLUMNS) }
  const isSame =
    other.asked_at === whole.asked_at &&
    answered.every((side) => isEqual(side, whole, ANSWER_COLUMNS)) &&
    shown.every((side) => isEqual(side, whole, SHOWN_COLUMNS))
  return isSame ? whole : undefined
}

function isEqual<Column extends string>(
  one: Readonly<Record<Column, unknown>>,
  other: Readonly<Record<Column, unknown>>,
  columns: readonly Column[],
): boolean {
  return columns.every((column) => one[column] === other[column])
}
