// What every check may use: settings, units, time, and what earlier rounds left.
import type { AlarmSettings } from '../../../settings/sections/alarms.ts'
import type { Context } from '../../context.ts'
import type { Connect } from '../../portal/doctor/deployment.ts'
import type { State } from '../state.ts'
import type { UnitsFound } from './units.ts'

export interface Surroundings {
  readonly context: Context
  readonly settings: Pick<AlarmSettings, 'disk_percent' | 'folders'>
  /** The engine's file. */
  readonly policy: string
  /** The watcher's state. */
  readonly stateFile: string
  readonly units: UnitsFound
  /** Where the terminator is reached, whatever the portal's name resolves to. */
  readonly connectHttps: Connect | undefined
  /** Where the proxy is reached, whatever its variables say. */
  readonly proxy: Connect | undefined
  readonly now: number
  /** What to run about a service: `engine`. */
  readonly remedyFor: (service: string) => string
  /** Kept for the next round: a check sets `after`. */
  readonly journal: { readonly before: State['journal']; after: State['journal'] }
  readonly jobs: { readonly before: State['jobs']; after: State['jobs'] }
}
