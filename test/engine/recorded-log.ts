// A log that a test reads.
import { type Logger, pino } from 'pino'

export interface RecordedLog {
  readonly log: Logger
  /** Its lines so far. */
  readonly lines: Record<string, unknown>[]
  messages(): string[]
}

export function recordLog(): RecordedLog {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const log = pino({ base: null, timestamp: false }, { write })
  return { log, lines, messages: () => lines.map(({ msg }) => String(msg)) }
}
