// The machine that is restored: its units by systemctl, and what its packages are.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { type Ran, run } from '../deployment/run-program.ts'
import { Failure } from '../failure.ts'
import { type Owners, readOwners } from './staging.ts'

export interface Machine {
  /** `/`, except in tests. */
  readonly root: string
  readonly isRoot: boolean
  readonly owners: Owners
  /** How long services may take until they respond. */
  readonly startMs: number
}

export function thisMachine(): Machine {
  return { root: '/', isRoot: process.getuid?.() === 0, owners: readOwners(), startMs: 60_000 }
}

const SECONDS = 120

export interface Systemd {
  /** The names of units that exist, of those that match. */
  units(...patterns: readonly string[]): Promise<readonly string[]>
  /** Those that run, or are about to start or to end. */
  active(...patterns: readonly string[]): Promise<readonly string[]>
  /** Those that run: a service that keeps ending is about to start again most of the time. */
  running(...patterns: readonly string[]): Promise<readonly string[]>
  /** The version of the files that a unit runs; undefined where they have none. */
  versionOf(unit: string): Promise<string | undefined>
  /** @throws {Failure} */
  change(...words: readonly string[]): Promise<void>
  /** The same, where a failure shows later. */
  attempt(...words: readonly string[]): Promise<Ran>
}

export function systemd({ env }: Pick<Context, 'env'>, { root }: Machine): Systemd {
  const systemctl = (words: readonly string[]) => run(['systemctl', ...words], { cwd: '/', env, seconds: SECONDS })
  const namesIn = async (words: readonly string[]) => {
    const { status, stdout, stderr } = await systemctl(words)
    if (status === 127) throw new Failure(`this machine has no systemd, whose units are restored: ${stderr}`)
    return stdout.split('\n').flatMap((line) => /^\S+\.(?:service|timer)(?= |$)/.exec(line)?.[0] ?? [])
  }
  const inState = (states: string, patterns: readonly string[]) =>
    namesIn(['list-units', '--plain', '--no-legend', '--no-pager', `--state=${states}`, ...patterns])
  return {
    units: (...patterns) => namesIn(['list-unit-files', '--no-legend', '--no-pager', ...patterns]),
    active: (...patterns) => inState('active,activating,reloading,deactivating', patterns),
    running: (...patterns) => inState('active', patterns),
    async versionOf(unit) {
      const { stdout } = await systemctl(['show', '--property=WorkingDirectory', '--value', unit])
      try {
        return JSON.parse(readFileSync(join(root, stdout.trim(), 'package.json'), 'utf8')).version
      } catch {
        return undefined
      }
    },
    async change(...words) {
      const { status, stderr } = await systemctl(words)
      if (status !== 0) throw new Failure(`systemctl ${words.join(' ')} failed: ${stderr.trim()}`)
    },
    attempt: (...words) => systemctl(words),
  }
}
