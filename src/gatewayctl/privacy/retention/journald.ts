// For how long systemd's journal keeps a line, by the settings of this machine (journald.conf(5)).
import type { Machine } from './machine.ts'

/** A later folder's file replaces one of the same name. */
const FOLDERS = ['/usr/lib/systemd', '/usr/local/lib/systemd', '/run/systemd', '/etc/systemd']

export interface JournaldSettings {
  /** As written, such as `90day`; undefined without a limit in time. */
  readonly maxRetention: string | undefined
  /** As written; undefined for its default, a tenth of the file system and at most 4 GB. */
  readonly maxUse: string | undefined
  /** Whether it is lost with a restart of the machine. */
  readonly isVolatile: boolean
}

export function journaldSettings(machine: Pick<Machine, 'read' | 'list'>): JournaldSettings {
  const dropIns = new Map<string, string>()
  for (const folder of FOLDERS) {
    const at = `${folder}/journald.conf.d`
    for (const name of machine.list(at)) {
      if (name.endsWith('.conf')) dropIns.set(name, machine.read(`${at}/${name}`) ?? '')
    }
  }
  const main = FOLDERS.map((folder) => machine.read(`${folder}/journald.conf`)).findLast((text) => text !== undefined)
  const texts = [main ?? '', ...[...dropIns].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text)]
  const values = new Map<string, string>()
  for (const text of texts) {
    for (const [, name = '', value = ''] of text.matchAll(/^[ \t]*([A-Za-z]+)[ \t]*=[ \t]*(.*?)[ \t]*$/gm)) {
      values.set(name, value)
    }
  }
  const set = (name: string) => values.get(name) || undefined
  const storage = set('Storage') ?? 'auto'
  const retention = set('MaxRetentionSec')
  return {
    maxRetention: retention !== undefined && /^0+[a-z]*$/.test(retention) ? undefined : retention,
    maxUse: set('SystemMaxUse'),
    isVolatile: storage === 'volatile' || (storage === 'auto' && machine.list('/var/log/journal').length === 0),
  }
}
