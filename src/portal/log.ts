// The process's log: one JSON object a line, on standard output.
import { type Logger, pino } from 'pino'

// Lines go out together, after this many milliseconds at the latest; at the end of the process whatever is left.
const LONGEST_DELAY = 100
const TOGETHER_BYTES = 3584
// Several processes may write into one pipe: only what is not longer comes out in one piece (POSIX, PIPE_BUF).
const LONGEST_WRITE = 4096

export function createLog(): Logger {
  const output = pino.destination({
    sync: true,
    minLength: TOGETHER_BYTES,
    maxWrite: LONGEST_WRITE,
    periodicFlush: LONGEST_DELAY,
  })
  process.on('exit', () => output.flushSync())
  return pino({ base: null, timestamp }, { write: (line: string) => void output.write(onOneLine(line)) })
}

// JSON lets these stand as they are; but many readers end a line at some of them, terminals obey others, and the rest
// changes the order of what is read.
const DISGUISED = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
const EVERY_DISGUISED = new RegExp(DISGUISED, 'g')

/** The same line, with every character escaped that some reader would take for more than text. */
function onOneLine(line: string): string {
  if (!DISGUISED.test(line)) return line
  return line.replace(EVERY_DISGUISED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What nothing has caught is logged once and ends the process. */
export function endOnUnexpectedError(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error; stopping')
    process.exit(1)
  })
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
