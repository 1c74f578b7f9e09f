// This machine, as far as retention depends on it: its files and units, read without changing anything. What cannot be read counts
// as missing.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../settings/reading.ts'
import type { Context } from '../../context.ts'
import { missingInstallation } from '../../deployment/installation.ts'
import { portalVariables } from '../../deployment/portal-variables.ts'
import { hasUnitFailed, isUnitEnabled } from '../../deployment/unit-state.ts'
import { findRunBy } from './run-by.ts'

export interface Machine {
  /** Of `.env`, of the files of terminator and proxy, and of the environment. */
  readonly variables: Environment
  /** What runs portal, engine and proxy here; undefined where nothing does. */
  readonly runBy: 'compose' | 'systemd' | undefined
  /** Undefined if it is missing or cannot be read. */
  read(path: string): string | undefined
  /** The names in a folder, in order; empty if it is missing or cannot be read. */
  list(folder: string): readonly string[]
  /** Whether a timer is on; undefined without systemd. */
  isEnabled(unit: string): Promise<boolean | undefined>
  /** Whether the last run of a service has failed; undefined without systemd. */
  hasFailed(unit: string): Promise<boolean | undefined>
}

/** @param root the folder that stands for `/` */
export function filesUnder(root: string): Pick<Machine, 'read' | 'list'> {
  return {
    read(path) {
      try {
        return readFileSync(join(root, path), 'utf8')
      } catch {
        return undefined
      }
    },
    list(folder) {
      try {
        return readdirSync(join(root, folder)).sort()
      } catch {
        return []
      }
    },
  }
}

/** @param root for tests: the folder that stands for `/` */
export function thisMachine({ env }: Pick<Context, 'env'>, root = '/'): Machine {
  return {
    variables: portalVariables(env, 'terminator', 'proxy'),
    runBy: missingInstallation(env) === undefined ? findRunBy(env) : undefined,
    ...filesUnder(root),
    isEnabled: (unit) => isUnitEnabled({ env }, unit),
    hasFailed: (unit) => hasUnitFailed({ env }, unit),
  }
}
