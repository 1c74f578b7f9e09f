// What can be checked before an archive is opened.
import { accessSync, constants } from 'node:fs'
import type { Context } from '../context.ts'
import { findInstallation } from '../deployment/installation.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { fileFailure } from '../files/atomic-file.ts'
import type { Machine, Systemd } from './machine.ts'

const MAXIMUM_ARCHIVES = 2
const CONTAINERS =
  'the gateway of this machine runs in containers, whose data is in volumes: docs/run.md, "Restore a machine", has their way'

/** @throws {Failure} */
export async function assertPossible(
  { env }: Context,
  { isRoot }: Machine,
  { units }: Systemd,
  archives: readonly string[],
  { identity }: { readonly identity: string },
): Promise<void> {
  if (archives.length > MAXIMUM_ARCHIVES) {
    throw new Failure('at most two archives can be restored, the newest of the engine and of the portal', EXIT_MISUSED)
  }
  if (!isRoot) throw new Failure('only root can restore a machine', EXIT_MISUSED)
  for (const file of [identity, ...archives]) assertReadable(file)
  if (isInContainers(env)) throw new Failure(CONTAINERS, EXIT_MISUSED)
  if ((await units('gateway-*')).length === 0) {
    throw new Failure(
      'this machine has no unit of the gateway: apt-get install ./gateway-portal_*.deb ./gateway-engine_*.deb ./gateway-squid_*.deb',
      EXIT_MISUSED,
    )
  }
}

function assertReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    const { message } = fileFailure(file, 'read', error as NodeJS.ErrnoException)
    throw new Failure(message, EXIT_MISUSED)
  }
}

/** A folder that lacks everything is a bare machine's. */
function isInContainers(env: Context['env']): boolean {
  try {
    return findInstallation(env).runBy.kind === 'compose'
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}
