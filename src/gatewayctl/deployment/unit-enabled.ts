// Whether systemd starts a unit with the machine.
import type { Context } from '../context.ts'
import { run } from './run-program.ts'

const SECONDS = 10

/** Undefined without systemd. */
export async function isUnitEnabled({ env }: Pick<Context, 'env'>, unit: string): Promise<boolean | undefined> {
  const { status, stdout } = await run(['systemctl', 'is-enabled', unit], { cwd: '/', env, seconds: SECONDS })
  // It exits with 1 for a unit that is off, or that it does not find.
  const state = stdout.trim()
  return status === 127 || state === '' ? undefined : state === 'enabled'
}
