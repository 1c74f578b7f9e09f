// Compares the engine's log with the ledger.
import { deriveState } from '../../src/ledger/state.ts'

export interface Acceptance {
  readonly reference: string
  readonly state: string
}

export interface Attempt {
  readonly reference: string
  /** Null without a response. */
  readonly engineStatus: number | null
}

export interface Reconciliation {
  readonly sessions: number
  readonly rows: number
  readonly rowsByState: Readonly<Record<string, number>>
  /** Rows that are pending although the engine sent its 302: the portal was killed before it could record it. */
  readonly unrecorded: number
  /** References, by kind of difference. */
  readonly differences: Readonly<Record<Difference, readonly string[]>>
}

export const DIFFERENCES = [
  'sessions without a row',
  'accepted rows without an engine 302',
  'verdicts with two rows',
  'states that do not follow from the attempts',
] as const
type Difference = (typeof DIFFERENCES)[number]

/** @param log the engine's, one object per line */
export function reconcile(
  log: readonly Readonly<Record<string, unknown>>[],
  acceptances: readonly Acceptance[],
  attempts: readonly Attempt[],
): Reconciliation {
  const accepted = log.filter(({ msg, outcome }) => msg === 'acknowledgement' && outcome === 'accepted')
  const redirects = new Set(accepted.map(({ reference }) => String(reference)))
  // A repetition gets the same 302, and creates no session.
  const sessions = new Set(accepted.filter(({ repeated }) => repeated === false).map(({ reference }) => `${reference}`))

  const statuses = Map.groupBy(attempts, ({ reference }) => reference)
  const rows = Map.groupBy(acceptances, ({ reference }) => reference)
  const references = (found: readonly Acceptance[]) => found.map(({ reference }) => reference)
  return {
    sessions: sessions.size,
    rows: acceptances.length,
    rowsByState: Object.fromEntries(
      ['accepted', 'refused', 'pending'].map((state) => [
        state,
        acceptances.filter((row) => row.state === state).length,
      ]),
    ),
    unrecorded: acceptances.filter(({ reference, state }) => state === 'pending' && redirects.has(reference)).length,
    differences: {
      'sessions without a row': [...sessions].filter((reference) => !rows.has(reference)),
      'accepted rows without an engine 302': references(
        acceptances.filter(({ reference, state }) => state === 'accepted' && !redirects.has(reference)),
      ),
      'verdicts with two rows': [...rows].filter(([, found]) => found.length > 1).map(([reference]) => reference),
      'states that do not follow from the attempts': references(
        acceptances.filter(({ reference, state }) => {
          const found = statuses.get(reference) ?? []
          return state !== deriveState(found.map(({ engineStatus }) => engineStatus))
        }),
      ),
    },
  }
}
