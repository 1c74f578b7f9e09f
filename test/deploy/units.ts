// The systemd units, and systemd's own reading of them.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasCommand, skipUnless } from '../support/requirement.ts'

export const FOLDER = join(fileURLToPath(new URL('../../', import.meta.url)), 'deploy', 'systemd')

export const skip = skipUnless(hasCommand('systemd-analyze'), 'needs systemd-analyze: apt-get install systemd')

export const read = (unit: string) => readFileSync(join(FOLDER, unit), 'utf8')

export function analyze(...words: readonly string[]) {
  return spawnSync('systemd-analyze', words, { encoding: 'utf8', env: { PATH: process.env.PATH, SYSTEMD_COLORS: '0' } })
}
