// The systemd units, and systemd's analysis of them.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasCommand, skipUnless } from '../support/requirement.ts'

export const FOLDER = join(fileURLToPath(new URL('../../', import.meta.url)), 'deploy', 'systemd')

export const skip = skipUnless(hasCommand('systemd-analyze'), 'needs systemd-analyze: apt-get install systemd')

/** The drop-in of all services. */
export const HARDENING = 'gateway-.service.d/10-hardening.conf'

/** With each setting on one line. */
export const read = (unit: string) => readFileSync(join(FOLDER, unit), 'utf8').replaceAll(/ *\\\n */g, ' ')

/** @returns the values of a service's settings of this name, those of its drop-in last, split at spaces */
export const settings = (unit: string, name: string) => {
  const text = `${read(unit)}\n${read(HARDENING)}`
  return Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value.split(' ')).flat()
}

export function analyze(...args: readonly string[]) {
  return spawnSync('systemd-analyze', args, { encoding: 'utf8', env: { PATH: process.env.PATH, SYSTEMD_COLORS: '0' } })
}
