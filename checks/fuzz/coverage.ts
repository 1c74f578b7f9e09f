// Detects inputs that reach code no earlier input has reached, with V8's coverage of this thread. It must be started
// before the code under test is loaded.
import { type Profiler, Session } from 'node:inspector'

export interface Coverage {
  /** Whether any unrecorded code has run since the last call. */
  hasNewCoverage(): boolean
  /** The same, and records that code. */
  recordNewCoverage(): boolean
  /** The number of recorded characters of source. */
  covered(): number
}

const COUNTED = /\/(src|node_modules)\//

export function startCoverage(): Coverage {
  const session = new Session()
  session.connect()
  const counted = { callCount: true, detailed: true }
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', counted)
  /** By function: 1 for each of its characters that has run. */
  const reached = new Map<string, Uint8Array>()
  let covered = 0

  function take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = []
    // The callback runs synchronously.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      taken = result
    })
    return taken
  }

  /** @returns how many characters of this function have run for the first time */
  function compare(url: string, ranges: readonly Profiler.CoverageRange[], isRecorded: boolean): number {
    const [whole] = ranges
    if (whole === undefined || whole.count === 0) return 0
    const length = whole.endOffset - whole.startOffset
    const now = new Uint8Array(length)
    // Outer ranges come before inner ones.
    for (const { startOffset, endOffset, count } of ranges) {
      now.fill(count === 0 ? 0 : 1, startOffset - whole.startOffset, endOffset - whole.startOffset)
    }
    const key = `${url}:${whole.startOffset}:${whole.endOffset}`
    const before = reached.get(key) ?? new Uint8Array(length)
    if (isRecorded) reached.set(key, before)
    let found = 0
    for (let index = 0; index < length; index++) {
      if (now[index] === 0 || before[index] === 1) continue
      if (isRecorded) before[index] = 1
      found++
    }
    return found
  }

  function countNew(isRecorded: boolean): number {
    let found = 0
    for (const { url, functions } of take()) {
      if (!COUNTED.test(url)) continue
      for (const { ranges } of functions) found += compare(url, ranges, isRecorded)
    }
    return found
  }

  return {
    hasNewCoverage: () => countNew(false) > 0,
    recordNewCoverage() {
      const found = countNew(true)
      covered += found
      return found > 0
    },
    covered: () => covered,
  }
}
