// Squid's files in /dev/shm: a killed Squid leaves them, and those of another user keep the next one from starting. They begin
// with the service's name (`squid -n`), which is remembered for the next start.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOrEmpty } from '../../settings/file.ts'

const FOLDER = '/dev/shm'

/**
 * Removes what the previous Squid of this run folder left.
 * @returns a service name that nothing in the shared memory begins with
 */
export function claimService(run: string): string {
  const previous = previousService(run)
  if (previous !== '') removeSharedMemory(previous)
  let service = `gateway${process.pid}`
  while (filesOf(service).length > 0) service += 'x'
  writeFileSync(serviceFile(run), `${service}\n`)
  return service
}

/** After Squid has exited. */
export function releaseService(run: string, service: string): void {
  removeSharedMemory(service)
  rmSync(serviceFile(run), { force: true })
}

function serviceFile(run: string): string {
  return join(run, 'service')
}

function previousService(run: string): string {
  return textOrEmpty(serviceFile(run)).replaceAll(/[^A-Za-z0-9]/g, '')
}

function filesOf(service: string): readonly string[] {
  try {
    return readdirSync(FOLDER).filter((name) => name.startsWith(`${service}-`) && name.endsWith('.shm'))
  } catch {
    return []
  }
}

function removeSharedMemory(service: string): void {
  for (const name of filesOf(service)) {
    try {
      rmSync(join(FOLDER, name))
    } catch {
      // Another user's: Squid reports it.
    }
  }
}
