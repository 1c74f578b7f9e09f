// What systemd reports about one unit. Undefined without systemd.
import type { Context } from '../context.ts'
import { run } from './run-program.ts'

const SECONDS = 10

/** Whether systemd starts it with the machine. */
export async function isUnitEnabled(context: Pick<Context, 'env'>, unit: string): Promise<boolean | undefined> {
  const state = await ask(context, 'is-enabled', unit)
  return state === undefined ? undefined : state === 'enabled'
}

/** Whether its last run has failed. */
export async function hasUnitFailed(context: Pick<Context, 'env'>, unit: string): Promise<boolean | undefined> {
  const state = await ask(context, 'is-failed', unit)
  return state === undefined ? undefined : state === 'failed'
}

/** What to do about a service whose last run has failed. */
export const startAgain = (unit: string): string => `journalctl -u ${unit} -n 30; systemctl start ${unit}`

async function ask({ env }: Pick<Context, 'env'>, verb: string, unit: string): Promise<string | undefined> {
  // It exits with 1 for another state, and for a unit that it does not find.
  const { status, stdout } = await run(['systemctl', verb, unit], { cwd: '/', env, seconds: SECONDS })
  return status === 127 ? undefined : stdout.trim() || undefined
}
