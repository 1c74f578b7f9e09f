// Only one gatewayctl changes a gateway at a time. The kernel releases the lock however its holder ends.
import { spawnSync } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Installation } from '../../deployment/installation.ts'
import { workFolder } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { fileFailure } from '../../files/atomic-file.ts'

/**
 * Runs the work while holding the lock.
 * @throws {Failure} when another process holds it
 */
export async function underLock<T>({ env }: Context, installation: Installation, work: () => Promise<T>): Promise<T> {
  const path = join(await workFolder(installation), 'lock')
  const file = open(path)
  try {
    // The lock belongs to the open file, which this process shares with flock(1) and keeps after that program has exited.
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

/** Names the holder, for the message of a refused process; a full disk is no reason to fail. */
function note(file: number): void {
  try {
    ftruncateSync(file)
    writeSync(file, `${process.pid}\n`)
  } catch {}
}
