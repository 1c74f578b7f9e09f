// What systemd reports about the gateway's units. Which of them are enabled says what this machine has.
import { existsSync } from 'node:fs'
import type { Environment } from '../../../settings/reading.ts'
import { run } from '../../deployment/run-program.ts'

export interface Unit {
  readonly isLoaded: boolean
  readonly isEnabled: boolean
  /** `active`, `failed` … */
  readonly active: string
  /** `running`, `auto-restart` … */
  readonly sub: string
  /** `success`, or how its process ended last. */
  readonly result: string
  /** Whether a condition of the unit kept it from starting last. */
  readonly isSkipped: boolean
  /** When its process ended last, in milliseconds since the epoch; undefined if it has not since the boot. */
  readonly endedAt: number | undefined
}

type Units = ReadonlyMap<string, Unit>

/** `systemd` where it runs this machine but does not answer; `none` in a container, for example. */
export type UnitsFound = Units | 'unanswered' | 'none'

const PROPERTIES =
  'Id,LoadState,ActiveState,SubState,UnitFileState,Result,ConditionResult,ConditionTimestampMonotonic,ExecMainExitTimestamp'
const SECONDS = 15

/** @param booted the folder that exists where systemd is process 1 */
export async function readUnits(
  names: readonly string[],
  env: Environment,
  booted = '/run/systemd/system',
): Promise<UnitsFound> {
  if (!existsSync(booted)) return 'none'
  const words = ['systemctl', 'show', '--timestamp=unix', `--property=${PROPERTIES}`, ...names]
  const { status, stdout } = await run(words, { cwd: '/', env: { ...env, LC_ALL: 'C' }, seconds: SECONDS })
  if (status !== 0) return 'unanswered'
  return new Map(stdout.trim().split('\n\n').map(parseUnit))
}

function parseUnit(block: string): readonly [string, Unit] {
  const shown = new Map(block.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]))
  const value = (name: string) => shown.get(name) ?? ''
  const [, seconds] = /^@(\d+)/.exec(value('ExecMainExitTimestamp')) ?? []
  return [
    value('Id'),
    {
      isLoaded: value('LoadState') === 'loaded',
      isEnabled: value('UnitFileState').startsWith('enabled'),
      active: value('ActiveState'),
      sub: value('SubState'),
      result: value('Result'),
      isSkipped: value('ConditionResult') === 'no' && !['', '0'].includes(value('ConditionTimestampMonotonic')),
      endedAt: seconds === undefined ? undefined : Number(seconds) * 1000,
    },
  ]
}

export function unitOf(units: UnitsFound, name: string): Unit | undefined {
  const unit = typeof units === 'string' ? undefined : units.get(name)
  return unit?.isLoaded ? unit : undefined
}

/** Whether this machine is meant to run the service; undefined where systemd does not have it. */
export function isExpected(units: UnitsFound, service: string): boolean | undefined {
  const unit = unitOf(units, service)
  return unit && (unit.isEnabled || unit.active !== 'inactive')
}

/** Why a service that should run does not, as the predicate of a sentence; undefined if it runs. */
export function downReason(unit: Unit): string | undefined {
  if (unit.sub === 'auto-restart') return 'keeps ending, and is started again and again'
  if (['active', 'activating', 'reloading'].includes(unit.active)) return undefined
  return unit.active === 'failed' ? `has failed (${unit.result})` : `is ${unit.active}`
}
