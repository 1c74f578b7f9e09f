// A command's dependencies: streams, environment variables, and the clock.
import type { Environment } from '../settings/reading.ts'

export interface Context {
  readonly env: Environment
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}
