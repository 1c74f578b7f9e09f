// A folder next to each target, on the same file system, in which an archive is unpacked before anything is replaced.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { fileFailure } from '../files/atomic-file.ts'

const BASES = ['etc', 'var/lib']
/** What stays free for the services. */
const RESERVE_BYTES = 64 * 1024 * 1024
const CHECKED_BYTES = 16 * 1024 * 1024

export interface Staging {
  /** Where a path of the archive is unpacked. */
  pathOf(path: string): string
  /** Call it before so many bytes are written. @throws {Failure} when the disk would become full */
  reserve(bytes: number): Promise<void>
  remove(): void
}

/**
 * @param root `/`, except in tests
 * @param name of the archive, in messages
 * @param free bytes of a file system; the system's, except in tests
 * @throws {Failure}
 */
export function createStaging(root: string, at: number, name: string, free = freeBytes): Staging {
  const folders = BASES.map((base) => join(root, base, `.gateway-restore-${at}`))
  const remove = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
  // An earlier one may have been killed.
  remove()
  for (const folder of folders) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      throw fileFailure(folder, 'created', error as NodeJS.ErrnoException)
    }
  }
  let unchecked = CHECKED_BYTES
  return {
    pathOf(path) {
      const base = BASES.findIndex((one) => path.startsWith(`${one}/`))
      return join(folders[base] ?? '', path.slice((BASES[base] ?? '').length + 1))
    },
    async reserve(bytes) {
      unchecked += bytes
      if (unchecked < CHECKED_BYTES) return
      unchecked = 0
      for (const folder of folders) {
        if ((await free(folder)) < RESERVE_BYTES + bytes) {
          throw new Failure(`${name} has more than there is room for on this machine's disk: nothing was changed`)
        }
      }
    },
    remove,
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export interface Owners {
  readonly users: ReadonlyMap<string, number>
  readonly groups: ReadonlyMap<string, number>
}

/** The numbers that this machine has for users and groups: another machine has others. */
export function readOwners(): Owners {
  const numbers = (file: string) =>
    new Map(
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
        .map(([name = '', , id]) => [name, Number(id)] as const),
    )
  return { users: numbers('/etc/passwd'), groups: numbers('/etc/group') }
}
