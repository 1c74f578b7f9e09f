// Which units of the gateway are turned on: those that were on, or for an archive that does not say, those that are configured.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../settings/reading.ts'

/** In the order in which they start. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'gateway-engine': [
    'gateway-engine.service',
    'gateway-engine-backup.timer',
    'gateway-lists.timer',
    'gateway-groups.timer',
  ],
  'gateway-portal': [
    'gateway-portal.service',
    'gateway-terminator.service',
    'gateway-portal-backup.timer',
    'gateway-prune.timer',
    'gateway-alarms.timer',
  ],
  'gateway-squid': ['gateway-proxy.service'],
}
const POLICY = 'engine/policy.toml'
/** Also in a file with problems. */
const ALARMS = /^[ \t]*\[[ \t]*alarms[ \t]*\]/m
const KNOWN = Object.values(PACKAGES).flat()

export const isTimer = (unit: string): boolean => unit.endsWith('.timer')

/** Those of the packages, services first; a unit of the operator's own is in no archive. */
export function knownUnits(units: readonly string[]): readonly string[] {
  const known = KNOWN.filter((unit) => units.includes(unit))
  return [...known.filter((unit) => !isTimer(unit)), ...known.filter(isTimer)]
}

/**
 * @param folder with the content of /etc/gateway
 * @param folders that the archives have
 */
export function configuredUnits(folder: string, env: Environment, folders: readonly string[]): readonly string[] {
  const engine = folders.includes('var/lib/gateway-engine')
  const portal = folders.includes('var/lib/portal') || env.GATEWAY_CAPTIVE_DATABASE_URL?.startsWith('postgres') === true
  const services = {
    'gateway-engine.service': engine,
    'gateway-portal.service': portal,
    'gateway-terminator.service': portal,
    'gateway-proxy.service': Boolean(env.PROXY_CLIENTS?.trim()),
  }
  const isOn = Object.entries({ ...services, ...configuredTimers(folder, env, { engine, portal }) })
  return knownUnits(isOn.flatMap(([unit, on]) => (on ? [unit] : [])))
}

/** Timers that have something to do. @param folder with the content of /etc/gateway */
export function configuredTimers(
  folder: string,
  env: Environment,
  { engine, portal }: { readonly engine: boolean; readonly portal: boolean },
): Readonly<Record<string, boolean>> {
  const has = (name: string) => existsSync(join(folder, name))
  return {
    'gateway-engine-backup.timer': engine && has('backup.recipients'),
    'gateway-lists.timer': engine && has('lists.conf'),
    'gateway-groups.timer': engine && has('groups.toml'),
    'gateway-portal-backup.timer': portal && has('backup.recipients'),
    'gateway-prune.timer': portal && Boolean(env.PRUNE_OLDER_THAN?.trim()),
    'gateway-alarms.timer': portal && has(POLICY) && ALARMS.test(readFileSync(join(folder, POLICY), 'utf8')),
  }
}

/** What to install for a unit that this machine lacks. */
export function packageOf(unit: string): string {
  return Object.entries(PACKAGES).find(([, units]) => units.includes(unit))?.[0] ?? unit
}
