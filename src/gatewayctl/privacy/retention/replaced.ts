// What `gatewayctl restore` has replaced, and left next to it: state, journal, ledger and groups, until somebody deletes them.
import type { Machine } from './machine.ts'
import type { Place } from './place.ts'

const FOLDERS = ['/etc', '/var/lib']
const REPLACED = /^(gateway|gateway-engine|gateway-groups|portal)\.before-restore-\d{8}T\d{6}Z$/

export function replacedPlaces(machine: Pick<Machine, 'list'>): readonly Place[] {
  const found = FOLDERS.flatMap((folder) =>
    machine.list(folder).flatMap((name) => (REPLACED.test(name) ? [`${folder}/${name}`] : [])),
  )
  if (found.length === 0) return []
  return [
    {
      what: 'what a restore has replaced: state, journal, ledger, groups',
      where: found.join(', '),
      kept: null,
      set: `rm -r ${found.join(' ')}`,
      isBeyondReach: true,
    },
  ]
}
