// One acceptance that two ledgers know: what both together know of it. Attempts are only ever added and completed, so
// that the order in which ledgers are merged makes no difference, nor how often.
import { ACCEPTANCE_COLUMNS, type AcceptanceWithAttempts, type AttemptRecord } from './reading.ts'
import { type AcceptanceState, deriveState } from './state.ts'

/** What follows from the attempts; everything else is written once. */
const FROM_ATTEMPTS = new Set<string>(['state', 'decided_at', 'engine_status', 'attempts'])
const WRITTEN_ONCE = ACCEPTANCE_COLUMNS.filter((column) => !FROM_ATTEMPTS.has(column))

/**
 * The same verdict in two ledgers, as one record. Where both wrote it down for themselves, it is the earlier one with the
 * attempts of both.
 * @returns undefined when they contradict each other: one of them was altered
 */
export function merged(one: AcceptanceWithAttempts, other: AcceptanceWithAttempts): AcceptanceWithAttempts | undefined {
  if (one.id === other.id && WRITTEN_ONCE.some((column) => one[column] !== other[column])) return undefined
  const attempts = mergedAttempts(one.attempt_records, other.attempt_records)
  if (attempts === undefined) return undefined
  const [first] = [one, other].sort((a, b) => compare(a.requested_at, b.requested_at) || compare(a.id, b.id))
  const state = mergedState(one, other, attempts)
  return {
    ...(first as AcceptanceWithAttempts),
    state,
    ...decision(state, [one, other], attempts),
    attempts: Math.max(one.attempts, other.attempts, attempts.length),
    attempt_records: attempts,
  }
}

function mergedAttempts(
  some: readonly AttemptRecord[],
  others: readonly AttemptRecord[],
): readonly AttemptRecord[] | undefined {
  const byId = new Map(some.map((attempt) => [attempt.id, attempt]))
  for (const attempt of others) {
    const known = byId.get(attempt.id)
    if (known === undefined || known.answered_at === null) byId.set(attempt.id, attempt)
    else if (attempt.answered_at !== null && !isSame(known, attempt)) return undefined
  }
  return [...byId.values()].sort((a, b) => compare(a.asked_at, b.asked_at) || compare(a.id, b.id))
}

const isSame = (one: AttemptRecord, other: AttemptRecord) =>
  one.asked_at === other.asked_at && one.answered_at === other.answered_at && one.engine_status === other.engine_status

function mergedState(
  one: AcceptanceWithAttempts,
  other: AcceptanceWithAttempts,
  attempts: readonly AttemptRecord[],
): AcceptanceState {
  if (one.state === 'accepted' || other.state === 'accepted') return 'accepted'
  return deriveState(attempts.map(({ engine_status }) => engine_status))
}

/** The first yes, or the last no, of all that is known: what a ledger wrote down, and the attempts. */
function decision(
  state: AcceptanceState,
  sides: readonly AcceptanceWithAttempts[],
  attempts: readonly AttemptRecord[],
): Pick<AcceptanceWithAttempts, 'decided_at' | 'engine_status'> {
  if (state === 'pending') return { decided_at: null, engine_status: null }
  const written = sides.filter((side) => side.state === state)
  const answered = attempts.flatMap(({ answered_at, engine_status }) =>
    answered_at === null || (state === 'accepted' && engine_status !== 302)
      ? []
      : [{ decided_at: answered_at, engine_status }],
  )
  // Of one moment, too, it is the same one, whichever ledger comes first.
  const inTime = [...written, ...answered].toSorted(
    (a, b) => compare(`${a.decided_at}`, `${b.decided_at}`) || Number(a.engine_status) - Number(b.engine_status),
  )
  const { decided_at = null, engine_status = null } = inTime.at(state === 'accepted' ? 0 : -1) ?? {}
  return { decided_at, engine_status }
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
