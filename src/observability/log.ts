// The process's log: one JSON object a line, on standard output.
import { type Logger, pino } from 'pino'
import { createLogOutput } from './log-output.ts'

export function createLog(): Logger {
  const output = createLogOutput((lines) => log.warn({ lines }, 'log lines were lost: nobody took them'))
  process.on('exit', () => output.finish())
  const log = pino({ base: null, timestamp }, { write: (line: string) => output.write(onOneLine(line)) })
  return log
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
