// Runs test files of a copy of the repository up to the first failure, with a time limit.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface TestRun {
  /** The first test that failed, or that the time limit was reached; undefined if all passed. */
  readonly failure: string | undefined
  readonly output: string
}

/**
 * A namespace of processes: whatever a test has started ends with it, a proxy in a process group of its own, too. Process ids
 * repeat in it, so that names made of them need folders of their own.
 */
const CONTAINED = [
  ...['unshare', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child', 'sh', '-ec'],
  'mkdir -p /run/netns; for folder in /run/netns /dev/shm; do mount -t tmpfs -o mode=1777 tmpfs $folder; done; exec "$@"',
  'sh',
]
const LIMIT_MS = 150_000
const FAILED = /^ *✖ (.+) \([\d.]+ms\)$/m

/** @param signal ends the tests */
export async function runTests(
  folder: string,
  files: readonly string[],
  concurrency: number,
  signal: AbortSignal,
): Promise<TestRun> {
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const options = ['--test-reporter=spec', `--test-concurrency=${concurrency}`, '--test-timeout=120000']
  const words = [process.execPath, 'scripts/run.mjs', '--test', ...options, ...files]
  const [program = '', ...args] = [...CONTAINED, ...words]
  // Otherwise skipped tests would count as passed, and few random values might miss the fault.
  const env = { ...process.env, TMPDIR: temporary, REQUIRE_ALL: '1', ALL_RUNS: '1' }
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let failure: string | undefined
  const end = (reason: string) => {
    failure ??= reason
    child.kill('SIGKILL')
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      const [, failed] = FAILED.exec(output) ?? []
      if (failed !== undefined) end(failed)
    })
  }
  const stop = () => end('stopped')
  signal.addEventListener('abort', stop)
  const limit = setTimeout(() => end('the time limit'), LIMIT_MS * Math.ceil(files.length / 4))
  const [status] = await once(child, 'close')
  clearTimeout(limit)
  signal.removeEventListener('abort', stop)
  rmSync(temporary, { recursive: true, force: true })
  if (status !== 0) failure ??= 'a file of tests'
  return { failure, output }
}
