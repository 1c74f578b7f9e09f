// File systems with state, ledger, lists, logs and backups that are nearly full, of space or of files.
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DEFAULT_HOME } from '../../deployment/installation.ts'
import { quoted } from '../../terminal/printable.ts'
import { type Cause, type Checked, harmless } from '../cause.ts'
import type { Surroundings } from './surroundings.ts'

/** With their usual places in the packages; those that do not exist here are left out. */
function watchedFolders({ context: { env }, settings, stateFile, policy }: Surroundings): readonly string[] {
  const sqlite = /^sqlite:\/{3}(\/.+)$/.exec(env.GATEWAY_CAPTIVE_DATABASE_URL?.trim() ?? '')?.[1]
  const folders = [
    env.PROXY_PUBLISHED?.trim() || '/var/lib/gateway-engine',
    ...(sqlite === undefined ? [] : [dirname(sqlite)]),
    ...['/var/lib/portal', '/var/lib/gateway-lists', '/var/log'],
    env.BACKUP_FOLDER?.trim() || '/var/backups/gateway',
    ...['/var/lib/docker', '/var/lib/containers', '/var/lib/postgresql', '/tmp'],
    env.GATEWAY_HOME?.trim() || DEFAULT_HOME,
    ...[dirname(policy), dirname(stateFile), ...settings.folders],
  ]
  return [...new Set(folders)]
}

export async function checkDisks(surroundings: Surroundings): Promise<Checked> {
  return { causes: await fullDisks(watchedFolders(surroundings), surroundings.settings.disk_percent) }
}

/** One cause for each file system, named by the first of the folders on it. */
export async function fullDisks(folders: readonly string[], percent: number): Promise<readonly Cause[]> {
  const devices = new Set<number>()
  const causes: Cause[] = []
  for (const folder of folders) {
    const use = await useOf(folder)
    if (use === undefined || devices.has(use.device)) continue
    devices.add(use.device)
    const full = [
      ...(use.space > percent ? [`${Math.floor(use.space)} % of its space`] : []),
      ...(use.files > percent ? [`${Math.floor(use.files)} % of its files`] : []),
    ]
    if (full.length === 0) continue
    causes.push({
      id: `disk:${harmless(folder, 150)}`,
      summary: `The file system of ${harmless(folder)} is nearly full: ${full.join(' and ')} in use`,
      remedy: `df -h ${quoted(folder)}; du -xh --max-depth=2 ${quoted(folder)} | sort -h | tail; journalctl --disk-usage`,
    })
  }
  return causes
}

interface Use {
  readonly device: number
  /** In percent, as `df` counts them. */
  readonly space: number
  readonly files: number
}

/** Undefined for a folder that is missing, and for a file system that has no space to fill. */
async function useOf(folder: string): Promise<Use | undefined> {
  try {
    const [{ dev }, { blocks, bfree, bavail, files, ffree }] = await Promise.all([stat(folder), statfs(folder)])
    const used = blocks - bfree
    if (blocks === 0 || used + bavail === 0) return undefined
    return {
      device: dev,
      space: (100 * used) / (used + bavail),
      files: files === 0 ? 0 : (100 * (files - ffree)) / files,
    }
  } catch {
    return undefined
  }
}
