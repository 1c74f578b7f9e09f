// The process's log: one JSON object per line, on standard output.
import { type Logger, pino } from 'pino'
import { createLogOutput } from './log-output.ts'

export function createLog(): Logger {
  const output = createLogOutput((lines) => log.warn({ lines }, 'log lines lost: standard output was not read'))
  process.on('exit', () => output.finish())
  const log = pino({ base: null, timestamp }, { write: (line: string) => output.write(onOneLine(line)) })
  return log
}

// JSON does not escape these, but some readers treat them as line breaks, terminals interpret them as controls, and bidi
// characters reorder the text.
const UNSAFE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
const ALL_UNSAFE = new RegExp(UNSAFE, 'g')

/** Escapes every character that some reader would not display as plain text. */
function onOneLine(line: string): string {
  if (!UNSAFE.test(line)) return line
  return line.replace(ALL_UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Logs an uncaught error and ends the process. */
export function endOnUnexpectedError(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error; stopping')
    process.exit(1)
  })
}

let timedAt = Number.NaN
let time = ''

/** Pino's ISO time, formatted once per millisecond. */
function timestamp(): string {
  const now = Date.now()
  if (now !== timedAt) {
    timedAt = now
    time = `,"time":"${new Date(now).toISOString()}"`
  }
  return time
}
