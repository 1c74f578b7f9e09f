// The process's log: one JSON object a line, on standard output.
import { type Logger, pino } from 'pino'

// Lines go out together, after this many milliseconds at the latest; at the end of the process whatever is left.
const LONGEST_DELAY = 100
const TOGETHER_BYTES = 4096

export function createLog(): Logger {
  const output = pino.destination({ sync: true, minLength: TOGETHER_BYTES, periodicFlush: LONGEST_DELAY })
  process.on('exit', () => output.flushSync())
  return pino({ base: null, timestamp }, output)
}

let timedAt = Number.NaN
let time = ''

/** Pino's ISO time, made once a millisecond. */
function timestamp(): string {
  const now = Date.now()
  if (now !== timedAt) {
    timedAt = now
    time = `,"time":"${new Date(now).toISOString()}"`
  }
  return time
}
