// The running Squid, and its log.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../settings/reading.ts'

export interface SquidOptions {
  /** Its helpers inherit it. */
  readonly env: Environment
  /** The path of squid.conf; Squid reads it again when it is reconfigured. */
  readonly configuration: string
  /** The name of its files in the shared memory. */
  readonly service: string
  /** Called with each line of Squid's log. */
  readonly onLine: (line: string) => void
}

export interface SquidProcess {
  reconfigure(): void
  /** Squid stops accepting connections, and exits within about a second. */
  stop(): void
  /** Resolves with the exit status, or 128 and the signal's number, once the log has been read. */
  readonly exited: Promise<number>
}

/** A process that Squid has started may keep its log open. */
const LAST_LINES_MILLISECONDS = 1_000
/** Longer lines are cut. */
const MAXIMUM_LINE = 64 * 1024

/** Starts Squid in the foreground. Its log is always read, so that Squid never waits for a reader of ours. */
export function startSquid({ env, configuration, service, onLine }: SquidOptions): SquidProcess {
  const words = ['-N', '-n', service, '-d', '1', '-f', configuration]
  const child = spawn('squid', words, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  // An unexpected error of this process must not leave it behind.
  process.once('exit', () => child.kill('SIGTERM'))
  let rest = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = (lines.pop() ?? '').slice(0, MAXIMUM_LINE)
    for (const line of lines) onLine(line)
  })
  const logEnded = once(child.stderr, 'end')
  return {
    reconfigure: () => child.kill('SIGHUP'),
    stop: () => child.kill('SIGTERM'),
    exited: once(child, 'exit').then(async ([status, signal]: (number | NodeJS.Signals | null)[]) => {
      await Promise.race([logEnded, sleep(LAST_LINES_MILLISECONDS)])
      return typeof status === 'number' ? status : 128 + constants.signals[signal as NodeJS.Signals]
    }),
  }
}
