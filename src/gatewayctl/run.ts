// One command line, from its arguments to its exit code.
import type { Context } from './context.ts'
import { withJoinedReference } from './engine/reference-argument.ts'
import { exitOf } from './failure.ts'
import { createProgram } from './program.ts'
import { printableLines } from './terminal/printable.ts'

/**
 * Runs it, and writes its error message.
 * @returns the exit code
 */
export async function runCommandLine(context: Context, args: readonly string[]): Promise<number> {
  try {
    await createProgram(context).parseAsync(withJoinedReference(withCurrentWord(args)), { from: 'user' })
    return 0
  } catch (error) {
    const { exitCode, message } = exitOf(error)
    if (message !== undefined) context.stderr.write(`error: ${printableLines(message)}\n`)
    return exitCode
  }
}

/** For one release, `gateway` is accepted as the former name of the group `proxy`. */
function withCurrentWord([group, ...rest]: readonly string[]): readonly string[] {
  return group === undefined ? [] : [group === 'gateway' ? 'proxy' : group, ...rest]
}
