// The backups on this machine. They are encrypted: nobody can be deleted from them alone.
import { startAgain } from '../../deployment/unit-state.ts'
import type { Machine } from './machine.ts'
import type { Place } from './place.ts'

/** Of the units. */
const DEFAULT_FOLDER = '/var/backups/gateway'
const DEFAULT_COUNT = '14'
const KINDS = { portal: 'backups of the ledger', engine: "backups of the engine's state and journal" } as const
const ARCHIVE = /^gateway-(portal|engine)-(\d{4})(\d\d)(\d\d)T\d{6}Z\.tar\.gz\.age$/

export async function backupPlaces(machine: Machine): Promise<readonly Place[]> {
  const { variables } = machine
  const folder = variables.BACKUP_FOLDER?.trim() || DEFAULT_FOLDER
  const count = variables.BACKUP_COUNT?.trim() || DEFAULT_COUNT
  const names = machine.list(folder)
  const places: Place[] = []
  for (const [kind, what] of Object.entries(KINDS)) {
    const archives = names.flatMap((name) => {
      const [, found, year, month, day] = ARCHIVE.exec(name) ?? []
      return found === kind ? [`${year}-${month}-${day}`] : []
    })
    const unit = `gateway-${kind}-backup`
    const isOn = (await machine.isEnabled(`${unit}.timer`)) === true
    if (!isOn && archives.length === 0) continue
    const hasFailed = isOn && (await machine.hasFailed(`${unit}.service`)) === true
    const oldest = archives[0] === undefined ? '' : `, the oldest of ${archives[0]}`
    places.push({
      what,
      where: `${folder}: ${archives.length} archives${oldest}; and wherever you copy them`,
      // Nothing deletes them while none is made.
      kept: isOn && !hasFailed ? `for ${count} nights` : null,
      set: hasFailed
        ? `${startAgain(unit)} (the last backup has failed, and only backups delete old archives)`
        : isOn
          ? 'BACKUP_COUNT in .env'
          : `rm; ${unit}.timer is off, and only it deletes old archives`,
      isBeyondReach: true,
    })
  }
  return places
}
