// One gatewayctl at a time changes a gateway. The kernel holds the lock, and lets it go when its holder ends in any way.
import { spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Installation } from '../../deployment/installation.ts'
import { workFolder } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { fileFailure } from '../../files/atomic-file.ts'

/**
 * Does the work while nobody else can.
 * @throws {Failure} when somebody else is at work
 */
export async function underLock<T>({ env }: Context, installation: Installation, work: () => Promise<T>): Promise<T> {
  const path = join(await workFolder(installation), 'lock')
  const file = open(path)
  try {
    // flock locks what the descriptor stands for, which is ours as well; it stays locked when that program has ended.
    const { status, error } = spawnSync('flock', ['--nonblock', '3'], {
      env,
      stdio: ['ignore', 'ignore', 'ignore', file],
    })
    if (error !== undefined) throw new Failure(`flock cannot be run, a program of util-linux: ${error.message}`)
    if (status !== 0) {
      const holder = readFileSync(path, 'utf8').trim()
      throw new Failure(`another gatewayctl is changing this gateway${holder === '' ? '' : `, process ${holder}`}`)
    }
    note(file)
    return await work()
  } finally {
    closeSync(file)
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'a+', 0o600)
  } catch (error) {
    throw fileFailure(path, 'opened', error as NodeJS.ErrnoException)
  }
}

/** Who holds it, for whoever is refused; on a full disk nobody learns it. */
function note(file: number): void {
  try {
    ftruncateSync(file)
    writeSync(file, `${process.pid}\n`)
  } catch {}
}
