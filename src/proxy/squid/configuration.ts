// Squid's configuration on the disk: each one in its own folder, so that Squid never reads parts of two.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFault } from '../../settings/file.ts'
import { ICAP_AUTHORITIES } from '../squid-files.ts'
import { configurationProblem, type SquidProgram } from './squid-program.ts'

export interface Configurations {
  /** The path of squid.conf in force. */
  readonly path: string
  /**
   * Writes files, and has Squid check them.
   * @param files contents by name, with squid.conf, for the path of the folder that they are written to
   * @returns what Squid does not accept, or why they cannot be written
   */
  prepare(files: (folder: string) => Readonly<Record<string, string>>): Promise<string | undefined>
  /** Squid reads what was prepared last from now on. */
  activate(): void
}

const PREFIX = 'configuration.'
const MAIN = 'squid.conf'

/** @param run the proxy's own folder; what a previous process left there is removed */
export function createConfigurations(run: string, program: SquidProgram): Configurations {
  for (const name of readdirSync(run)) if (name.startsWith(PREFIX)) remove(join(run, name))
  const path = join(run, MAIN)
  let generation = 0
  let inForce: string | undefined
  /** Squid may still be reading it. */
  let previous: string | undefined
  const next = () => join(run, `${PREFIX}${generation}`)
  return {
    path,
    async prepare(files) {
      const folder = next()
      try {
        writeConfiguration(folder, files(folder))
        // Here and not in `activate`, because the disk may be full.
        copyFileSync(join(folder, MAIN), `${path}.new`)
      } catch (error) {
        return `${folder} cannot be written: ${readFault(error)}`
      }
      return await configurationProblem(program, join(folder, MAIN))
    },
    activate() {
      renameSync(`${path}.new`, path)
      if (previous !== undefined) remove(previous)
      previous = inForce
      inForce = next()
      generation++
    },
  }
}

function writeConfiguration(folder: string, files: Readonly<Record<string, string>>): void {
  remove(folder)
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  // Started by root, Squid runs its helper as another user, which reads this file alone.
  chmodSync(folder, 0o711)
  chmodSync(join(folder, ICAP_AUTHORITIES), 0o644)
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
