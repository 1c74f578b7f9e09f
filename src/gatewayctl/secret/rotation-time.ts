// How long both secrets are kept, and the wait until then.
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError } from 'commander'
import type { Context } from '../context.ts'
import { startProgress } from '../terminal/progress.ts'
import { parseTime } from '../time-argument.ts'

export function parseSince(text: string, context: Context): string {
  const moment = parseTime(text, context)
  if (Date.parse(moment) > context.clock()) throw new InvalidArgumentError('It must not be in the future.')
  return moment
}

/**
 * Waits, and reports it.
 * @param time how many seconds, counted from `since` or from now
 */
export async function wait(
  { stderr, clock }: Context,
  { since, seconds }: { readonly since: string | undefined; readonly seconds: number },
  until: string,
): Promise<void> {
  const now = clock()
  const milliseconds = (since === undefined ? now : Date.parse(since)) + seconds * 1000 - now
  const startedAt = performance.now()
  const remaining = () => milliseconds - (performance.now() - startedAt)
  if (remaining() <= 0) return
  stderr.write(`Waiting ${Math.ceil(remaining() / 1000)} s, until ${until}.\n`)
  const progress = startProgress(stderr)
  while (remaining() > 0) {
    progress.show(`${Math.ceil(remaining() / 1000)} s left; Ctrl-C leaves both secrets in place`)
    await sleep(Math.min(1000, Math.max(1, remaining())))
  }
  progress.clear()
}
