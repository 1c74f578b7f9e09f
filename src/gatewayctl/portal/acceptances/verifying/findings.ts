// What verification finds. Only the first thousand are kept: a rewritten ledger may have millions.

/** Something that differs from what a head covers, or contradicts itself. */
export interface Finding {
  readonly what: 'attempt' | 'acceptance' | 'text' | 'head' | 'leaf' | 'entry'
  readonly problem: 'changed' | 'removed' | 'inserted'
  /** When the attempt was recorded, or the head was signed; ISO 8601. */
  readonly at: string
  /** The attempt's id, or what identifies the other thing. */
  readonly id: string
  readonly jti: string | null
  readonly detail: string
}

export interface Findings {
  add(finding: Finding): void
  /** The earliest attempt; without one the earliest finding. */
  first(): Finding | undefined
  kept(): readonly Finding[]
  total(): number
}

const MAX_KEPT = 1_000

export function createFindings(): Findings {
  const kept: Finding[] = []
  let first: Finding | undefined
  let total = 0
  return {
    add(finding) {
      total++
      if (kept.length < MAX_KEPT) kept.push(finding)
      if (first === undefined || precedes(finding, first)) first = finding
    },
    first: () => first,
    kept: () => kept,
    total: () => total,
  }
}

function precedes(one: Finding, other: Finding): boolean {
  if ((one.what === 'attempt') !== (other.what === 'attempt')) return one.what === 'attempt'
  return one.at < other.at
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** When an attempt was recorded, by its id, which has the time even of one that was removed. */
export function recordedAt(id: string, otherwise: string): string {
  if (!UUID_V7.test(id)) return otherwise
  return new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString()
}
