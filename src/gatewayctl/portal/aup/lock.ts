// Only one gatewayctl changes a gateway at a time. The kernel releases the lock however its holder ends.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Context } from '../../context.ts'
import type { Installation } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import { fileFailure } from '../../files/atomic-file.ts'

/**
 * Runs the work while holding the lock, which is on the gateway's folder and leaves no file behind.
 * @throws {Failure} when another process holds it
 */
export async function underLock<T>(
  { env }: Context,
  { home }: Pick<Installation, 'home'>,
  work: () => Promise<T>,
): Promise<T> {
  const folder = open(home)
  try {
    // The lock belongs to the open folder, which this process shares with flock(1) and keeps after that program has
    // exited.
    const { status, error } = spawnSync('flock', ['--nonblock', '3'], {
      env,
      stdio: ['ignore', 'ignore', 'ignore', folder],
    })
    if (error !== undefined) throw new Failure(`flock cannot be run, a program of util-linux: ${error.message}`)
    if (status !== 0) throw new Failure(`another gatewayctl is changing this gateway: ${home}`)
    return await work()
  } finally {
    closeSync(folder)
  }
}

function open(home: string): number {
  try {
    return openSync(home, 'r')
  } catch (error) {
    throw fileFailure(home, 'opened', error as NodeJS.ErrnoException)
  }
}
