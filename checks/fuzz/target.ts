// What a fuzzing target is: something that takes bytes from outside, and what has to be true whatever they are.

export interface Target {
  readonly name: string
  /** Inputs that reach far from the start. */
  readonly seeds: readonly (string | Uint8Array)[]
  /** Tokens of the parser, which mutations insert. */
  readonly words: readonly string[]
  /** @throws {Error} when something is not as promised */
  run(input: Buffer): void
}

export const MAXIMUM_INPUT_BYTES = 16 * 1024

export function bytesOf(input: string | Uint8Array): Buffer {
  return typeof input === 'string' ? Buffer.from(input) : Buffer.from(input)
}
