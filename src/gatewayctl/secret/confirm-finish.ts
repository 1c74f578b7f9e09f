// The question before the old secret of a rotation is removed.
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { canConfirm, confirm } from '../terminal/confirm.ts'

/**
 * @param yes whether the command line has the answer
 * @throws {Failure} unless the answer is yes
 */
export async function confirmFinish(
  context: Context,
  yes: boolean,
  { question, statement }: { readonly question: string; readonly statement: string },
): Promise<void> {
  if (yes) return
  if (!canConfirm(context)) {
    throw new Failure(`there is no terminal for the confirmation: --yes confirms that ${statement}`, EXIT_MISUSED)
  }
  if (!(await confirm(context, question))) throw new Failure('nothing was changed')
}
