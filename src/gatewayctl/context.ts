// What a verb has around it: the terminal or the pipes that stand in for one, the environment, and the time.
import type { Environment } from '../config/reading.ts'

export interface Context {
  readonly env: Environment
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}
