// Which fault is injected, and was a moment ago: only then is a status that reports it a right response.

type Fault = 'engine' | 'database'

export interface Faults {
  begin(fault: Fault): void
  end(): void
  /** The statuses of acknowledgements that the faults since then explain. @param sentAt milliseconds, by the clock */
  explained(sentAt: number): readonly number[]
}

/** Milliseconds for which a fault still explains a status: attempts that wait for the engine, and reconnecting. */
const AFTERWARDS = 10_000
const STATUSES: Readonly<Record<Fault, readonly number[]>> = {
  // Late, or no slot is free, because others are late.
  engine: [502, 503, 504],
  database: [503],
}

/** @param clock milliseconds, monotonic */
export function createFaults(clock: () => number): Faults {
  const endedAt: Partial<Record<Fault, number>> = {}
  let current: Fault | undefined
  return {
    begin(fault) {
      current = fault
    },
    end() {
      if (current !== undefined) endedAt[current] = clock()
      current = undefined
    },
    explained(sentAt) {
      const isRecent = (fault: Fault) => fault === current || sentAt - (endedAt[fault] ?? -Infinity) < AFTERWARDS
      return [...new Set((['engine', 'database'] as const).filter(isRecent).flatMap((fault) => STATUSES[fault]))]
    },
  }
}
