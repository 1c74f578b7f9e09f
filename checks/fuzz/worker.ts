// Fuzzes one target on a separate thread, so that the main thread detects a target that never returns. Inputs run in
// batches; one that reaches new code becomes a starting point for others.
import { parentPort, workerData } from 'node:worker_threads'
import { startCoverage } from './coverage.ts'
import { mutate, shrink } from './mutate.ts'
import { bytesOf, type Target } from './target.ts'

export interface Assignment {
  readonly target: string
  readonly seconds: number
  /** The count of inputs, the length of the current one, and its bytes. */
  readonly current: SharedArrayBuffer
}

export type Report =
  | { readonly kind: 'found'; readonly input: Uint8Array; readonly problem: string }
  | { readonly kind: 'done'; readonly inputs: number; readonly corpus: number; readonly covered: number }

const BATCH = 64
/** More CPU time than this, each time, for an input of at most 16 KiB would invite denial of service. */
const SLOW_MILLISECONDS = 100
const SHRINK_MILLISECONDS = 10_000
const MOST_FINDINGS = 5

const { target: name, seconds, current } = workerData as Assignment
const coverage = startCoverage()
const { targets }: { targets: readonly Target[] } = await import('./targets.ts')
const target = targets.find((one) => one.name === name) as Target
const state = new Int32Array(current, 0, 2)
const currentBytes = new Uint8Array(current, 8)
const problems = new Set<string>()
const corpus: Buffer[] = []
let inputs = 0

for (const seed of target.seeds) keepIfNew(bytesOf(seed))
if (corpus.length === 0) corpus.push(bytesOf(target.seeds[0] ?? ''))
for (const endAt = performance.now() + seconds * 1000; performance.now() < endAt && problems.size < MOST_FINDINGS; ) {
  const batch = Array.from({ length: BATCH }, () => mutate(nextStart(), target.tokens, corpus))
  for (const input of batch) attempt(input)
  if (coverage.hasNewCoverage()) for (const input of batch) keepIfNew(input)
}
report({ kind: 'done', inputs, corpus: corpus.length, covered: coverage.covered() })

/** Prefers recent inputs. */
function nextStart(): Buffer {
  const recent = Math.random() < 0.3 ? Math.max(0, corpus.length - 20) : 0
  return corpus[recent + Math.floor(Math.random() * (corpus.length - recent))] as Buffer
}

function keepIfNew(input: Buffer): void {
  attempt(input)
  if (coverage.recordNewCoverage()) corpus.push(input)
}

function attempt(input: Buffer): void {
  const problem = problemOf(input)
  if (problem === undefined || problems.has(kindOf(problem)) || problems.size >= MOST_FINDINGS) return
  problems.add(kindOf(problem))
  // A slow input is slow to shrink, too.
  const endAt = performance.now() + SHRINK_MILLISECONDS
  const shortest = shrink(input, (candidate) => {
    if (performance.now() > endAt) return false
    const other = problemOf(candidate)
    return other !== undefined && kindOf(other) === kindOf(problem)
  })
  report({ kind: 'found', input: shortest, problem: problemOf(shortest) ?? problem })
}

/** @returns the failure; undefined when the input passes */
function problemOf(input: Buffer): string | undefined {
  currentBytes.set(input)
  state[1] = input.length
  Atomics.add(state, 0, 1)
  inputs++
  const startedAt = cpuMilliseconds()
  try {
    target.run(Buffer.from(input))
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  return cpuMilliseconds() - startedAt > SLOW_MILLISECONDS && isSlow(input) ? 'slow' : undefined
}

/** Retries, because a single slow run may be garbage collection. */
function isSlow(input: Buffer): boolean {
  for (let tries = 0; tries < 5; tries++) {
    const startedAt = cpuMilliseconds()
    target.run(Buffer.from(input))
    if (cpuMilliseconds() - startedAt <= SLOW_MILLISECONDS) return false
  }
  return true
}

/** This thread's CPU time, which other load on the machine does not affect. */
function cpuMilliseconds(): number {
  return process.threadCpuUsage().user / 1000
}

/** Failures at one place count as one. */
function kindOf(problem: string): string {
  return /^ +at .*$/m.exec(problem)?.[0] ?? problem
}

function report(message: Report): void {
  parentPort?.postMessage(message)
}
