// A fuzzing target: a parser of outside input, with the assertions that hold for every input.

export interface Target {
  readonly name: string
  /** Inputs with high coverage, to start from. */
  readonly seeds: readonly (string | Uint8Array)[]
  /** Tokens of the input language, which mutations insert. */
  readonly tokens: readonly string[]
  /** @throws {Error} when an assertion fails */
  run(input: Buffer): void
}

export const MAXIMUM_INPUT_BYTES = 16 * 1024

export function bytesOf(input: string | Uint8Array): Buffer {
  return typeof input === 'string' ? Buffer.from(input) : Buffer.from(input)
}
