// What may grow with a ledger, and what must not: whatever an index finds takes as long among ten times as many acceptances.

export interface LedgerCosts {
  readonly rows: number
  /** Of an acceptance with its attempt and their indexes. */
  readonly bytes: number
  /** Seconds, by what was done. */
  readonly constant: Readonly<Record<string, number>>
  /** Rows a second, by what was done. */
  readonly rates: Readonly<Record<string, number>>
}

const MAXIMUM_BYTES = 1_500
/** Times of the smallest ledger, which a busy machine may need. */
const FACTOR = 4
/** Seconds; always allowed. */
const ALWAYS_FINE = 0.025

/** @param costs of ledgers, the smallest first @returns what is too slow or too large; empty when nothing is */
export function growthFaults(costs: readonly LedgerCosts[]): string[] {
  const [first] = costs
  return costs.flatMap(({ rows, bytes, constant, rates }) => [
    ...(bytes <= MAXIMUM_BYTES ? [] : [`an acceptance takes ${bytes} bytes, at most ${MAXIMUM_BYTES} are allowed`]),
    ...Object.entries(constant).flatMap(([what, seconds]) => {
      const allowed = FACTOR * (first?.constant[what] ?? 0) + ALWAYS_FINE
      return seconds <= allowed
        ? []
        : [`${what}: ${milliseconds(seconds)} of ${rows}, allowed ${milliseconds(allowed)}`]
    }),
    ...Object.entries(rates).flatMap(([what, rate]) => {
      const required = (first?.rates[what] ?? 0) / FACTOR
      return rate >= required
        ? []
        : [`${what}: ${Math.round(rate)} rows/s of ${rows}, required ${Math.round(required)}`]
    }),
  ])
}

function milliseconds(seconds: number): string {
  return `${(1000 * seconds).toFixed(0)} ms`
}
