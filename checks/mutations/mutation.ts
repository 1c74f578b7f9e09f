// A mutation: a fault of one line in a place where a gateway opens, which tests must notice.
import { transformSync } from 'esbuild'

export interface Mutation {
  /** From the root of the repository. */
  readonly file: string
  /** Text that the file has exactly once. */
  readonly find: string
  readonly replace: string
  /** What the fault would open. */
  readonly opens: string
  /** The files of the tests of which at least one must fail. */
  readonly tests: readonly string[]
}

type Fault = readonly [opens: string, find: string, replace: string]

/** Faults in one file that the same tests notice. */
export function mutationsOf(file: string, tests: readonly string[], faults: readonly Fault[]): readonly Mutation[] {
  return faults.map(([opens, find, replace]) => ({ file, find, replace, opens, tests }))
}

/**
 * The file's text with the fault.
 * @throws {Error} if the text has changed, so that the table has to follow
 */
export function mutated(text: string, { file, find, replace, opens }: Mutation): string {
  const count = text.split(find).length - 1
  if (count !== 1) {
    throw new Error(
      `${file} must have this text once, and has it ${count} times: correct the fault "${opens}" in checks/mutations/faults/\n${find}`,
    )
  }
  const result = text.replace(find, () => replace)
  // A file that is not even read would fail every test.
  if (file.endsWith('.ts')) transformSync(result, { loader: 'ts' })
  return result
}
