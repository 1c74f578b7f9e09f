// What a restore would replace, stop and start, in words for the operator; refuses what cannot work.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '#package' with { type: 'json' }
import type { Context } from '../context.ts'
import { readServiceVariables } from '../deployment/installation.ts'
import { Failure } from '../failure.ts'
import { printableLines } from '../terminal/printable.ts'
import type { OpenedArchive } from './archives.ts'
import { databasesElsewhere } from './databases.ts'
import { folderOf, isFileAlone } from './expected-paths.ts'
import type { Machine, Systemd } from './machine.ts'
import { isLater } from './manifest.ts'
import type { Restored } from './missing.ts'
import type { Replacement } from './put-in-place.ts'
import { configuredUnits, isTimer, knownUnits, packageOf } from './units.ts'

export interface Plan {
  readonly text: string
  readonly replacements: readonly Replacement[]
  /** Running units of the gateway. */
  readonly stopped: readonly string[]
  /** Debian's units, which have the gateway's ports. */
  readonly disabled: readonly string[]
  /** Units of other programs whose settings are replaced. */
  readonly restarted: readonly string[]
  readonly services: readonly string[]
  readonly timers: readonly string[]
  readonly restored: Omit<Restored, 'units'>
}

const HOME = 'etc/gateway'
const READERS: Readonly<Record<string, string>> = {
  'etc/systemd/journald.conf.d/gateway.conf': 'systemd-journald.service',
  'etc/rsyslog.d/gateway.conf': 'rsyslog.service',
}
const DEBIAN = { 'nginx.service': 'gateway-terminator.service', 'squid.service': 'gateway-proxy.service' }

/** @param archives the newest first. @throws {Failure} */
export async function makePlan(
  { clock }: Context,
  { root }: Machine,
  systemd: Systemd,
  archives: readonly OpenedArchive[],
): Promise<Plan> {
  const sources = new Map<string, string>()
  for (const { folders, files, staging } of archives) {
    for (const path of [...folders, ...files]) if (!sources.has(path)) sources.set(path, staging.pathOf(path))
  }
  const home = sources.get(HOME)
  if (home === undefined) throw new Failure('no archive has /etc/gateway; nothing was changed')
  const variables = readServiceVariables(home, ['terminator', 'proxy', 'lists'])
  const folders = [...sources.keys()]
  const [newest] = archives
  const enabled = newest?.manifest?.enabled ?? []
  const units = enabled.length > 0 ? knownUnits(enabled) : configuredUnits(home, variables, folders)
  await assertInstalled(systemd, units)
  for (const archive of archives) await assertNotLater(systemd, archive)

  const ending = `.before-restore-${new Date(clock()).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const replacements = folders.map((folder) => {
    const target = join(root, folder)
    // logrotate reads every file of its folder, unless it has an ending of its list.
    const kept = `${target}${ending}${isFileAlone(folder) ? '.disabled' : ''}`
    return { unpacked: sources.get(folder) ?? '', target, kept }
  })
  const plan = {
    replacements,
    stopped: await systemd.active('gateway-*'),
    disabled: await inTheWay(systemd, units),
    restarted: folders.flatMap((folder) => READERS[folder] ?? []),
    services: units.filter((unit) => !isTimer(unit)),
    timers: units.filter(isTimer),
  }
  const times = archives.map(({ time }) => time)
  const locate = (path: string) => {
    const relative = path.replace(/^\//, '')
    const folder = folderOf(relative)
    const source = folder === undefined ? undefined : sources.get(folder)
    return source === undefined ? join(root, relative) : join(source, relative.slice(folder?.length))
  }
  const restored = {
    ...{ root, variables, manifest: newest?.manifest, folders },
    since: times.includes('') ? undefined : times.toSorted()[0],
    elsewhere: await databasesElsewhere(locate, variables),
    leftOut: [...new Set(archives.flatMap(({ leftOut }) => leftOut))],
    unknownUnits: enabled.filter((unit) => !units.includes(unit)),
  }
  return { ...plan, restored, text: printableLines(described(plan, archives, ending)) }
}

function described(plan: Omit<Plan, 'text' | 'restored'>, archives: readonly OpenedArchive[], ending: string): string {
  const isThere = plan.replacements.filter(({ target }) => existsSync(target))
  const isNew = plan.replacements.filter((one) => !isThere.includes(one))
  const line = (title: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`${title.padEnd(10)} ${values.join(', ')}`]
  return [
    ...archives.map(({ file, kind, time, manifest }) => {
      const { version, host } = manifest ?? {}
      const by = `${version === undefined ? 'a version before 2026.49.0' : version}${host === undefined ? '' : ` on ${host}`}`
      return `${kind.padEnd(10)} ${file}, of ${time || 'an unknown time'}, by ${by}`
    }),
    ...line(
      'replaces',
      isThere.map(({ target }) => target),
    ),
    ...(isThere.length > 0 ? [`${''.padEnd(10)} What is there now is kept with ${ending} in its name`] : []),
    ...line(
      'creates',
      isNew.map(({ target }) => target),
    ),
    ...line('stops', plan.stopped),
    ...line('disables', plan.disabled),
    ...line('restarts', plan.restarted),
    ...line('starts', [...plan.services, ...plan.timers]),
  ]
    .map((one) => `${one}\n`)
    .join('')
}

/** @throws {Failure} with the packages that this machine lacks */
async function assertInstalled(systemd: Systemd, units: readonly string[]): Promise<void> {
  const installed = await systemd.units('gateway-*')
  const missing = units.filter((unit) => !installed.includes(unit))
  if (missing.length === 0) return
  const packages = [...new Set(missing.map(packageOf))].map((name) => `./${name}_*.deb`)
  throw new Failure(
    `this machine lacks ${missing.join(', ')}: apt-get install ${packages.join(' ')}; nothing was changed`,
  )
}

/** As the databases refuse what a later version has changed. @throws {Failure} */
async function assertNotLater(systemd: Systemd, { file, kind, manifest }: OpenedArchive): Promise<void> {
  const installed = (await systemd.versionOf(`gateway-${kind}.service`)) ?? packageJson.version
  if (manifest?.version === undefined || !isLater(manifest.version, installed)) return
  throw new Failure(
    `${file} is of a later version: ${manifest.version}; this machine has ${installed}: install the packages of ${manifest.version} first; nothing was changed`,
  )
}

/** Debian starts them when the packages are installed. */
async function inTheWay(systemd: Systemd, units: readonly string[]): Promise<readonly string[]> {
  const installed = await systemd.units(...Object.keys(DEBIAN))
  return Object.entries(DEBIAN).flatMap(([unit, ours]) =>
    units.includes(ours) && installed.includes(unit) ? [unit] : [],
  )
}
