// Which places of the code an input reaches that none before it did, as V8 counts them for this thread. It has to be
// started before the code under test is loaded.
import { type Profiler, Session } from 'node:inspector'

export interface Coverage {
  /** Whether anything has run since the last call that is not noted down. */
  hasNewPlaces(): boolean
  /** The same, and notes it down. */
  noteNewPlaces(): boolean
  /** Characters of source that are noted down. */
  places(): number
}

const COUNTED = /\/(src|node_modules)\//

export function startCoverage(): Coverage {
  const session = new Session()
  session.connect()
  const counted = { callCount: true, detailed: true }
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', counted)
  /** By function: a one for each character of it that has run. */
  const reached = new Map<string, Uint8Array>()
  let places = 0

  function take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = []
    // It answers before it returns.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      taken = result
    })
    return taken
  }

  /** How many places of this function are new. */
  function compare(url: string, ranges: readonly Profiler.CoverageRange[], isNoted: boolean): number {
    const [whole] = ranges
    if (whole === undefined || whole.count === 0) return 0
    const length = whole.endOffset - whole.startOffset
    const now = new Uint8Array(length)
    // Outer ranges come before those inside them.
    for (const { startOffset, endOffset, count } of ranges) {
      now.fill(count === 0 ? 0 : 1, startOffset - whole.startOffset, endOffset - whole.startOffset)
    }
    const key = `${url}:${whole.startOffset}:${whole.endOffset}`
    const before = reached.get(key) ?? new Uint8Array(length)
    if (isNoted) reached.set(key, before)
    let found = 0
    for (let index = 0; index < length; index++) {
      if (now[index] === 0 || before[index] === 1) continue
      if (isNoted) before[index] = 1
      found++
    }
    return found
  }

  function newPlaces(isNoted: boolean): number {
    let found = 0
    for (const { url, functions } of take()) {
      if (!COUNTED.test(url)) continue
      for (const { ranges } of functions) found += compare(url, ranges, isNoted)
    }
    return found
  }

  return {
    hasNewPlaces: () => newPlaces(false) > 0,
    noteNewPlaces() {
      const found = newPlaces(true)
      places += found
      return found > 0
    },
    places: () => places,
  }
}
