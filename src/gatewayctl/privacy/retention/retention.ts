// Every retention in force: of the engines, of the ledger, of logs and of backups.
import type { EngineRetention } from '../../../contract/administration.ts'
import { startAgain } from '../../deployment/unit-state.ts'
import { parseAge } from '../../time-argument.ts'
import { backupPlaces } from './backups.ts'
import { logPlaces } from './logs.ts'
import type { Machine } from './machine.ts'
import { forDays, type Place } from './place.ts'
import { replacedPlaces } from './replaced.ts'

/** Of the state's rows that have ended. */
const AN_HOUR = 'and an hour'

/** `acceptances prune` deletes nothing newer. */
const PRUNED_MS = 24 * 3_600_000

/** @param engine its control API */
export function enginePlaces(engine: string, { journal, state, memory, log }: EngineRetention): readonly Place[] {
  const within = { isBeyondReach: false }
  const database = (postgresql: boolean) => (postgresql ? 'PostgreSQL' : 'SQLite')
  const stops = {
    what: "engine's journal: stopped requests, acknowledgements, permissions",
    set: '[journal] days and person_days in the policy',
    ...within,
  }
  return [
    journal === null
      ? { ...stops, where: engine, kept: 'not at all: the journal is off' }
      : { ...stops, where: `${engine}, ${database(journal.postgresql)}`, kept: journalText(journal) },
    {
      what: 'sessions, wrong codes, permissions, reported users',
      where: `${engine}, ${database(state.postgresql)}`,
      kept: `until they end, ${AN_HOUR}; sessions last at most ${state.session_minutes.toLocaleString('en')} minutes`,
      set: 'session_minutes and [override] lockout_seconds in the policy',
      ...within,
    },
    {
      what: `last ${memory.toLocaleString('en')} stopped requests, with their URL`,
      where: `${engine}, in memory`,
      kept: 'until others replace them, or the engine restarts',
      set: 'a restart of the engine',
      ...within,
    },
    ...(log.allowed
      ? [
          {
            what: 'allowed requests',
            where: "the engine's log",
            kept: 'as the log',
            set: '[audit] allowed in the policy',
            isBeyondReach: true,
          },
        ]
      : []),
  ]
}

function journalText({ days, person_days: personDays, hosts }: NonNullable<EngineRetention['journal']>): string {
  const person = personDays < days ? `, with address and user ${forDays(personDays)}, then with pseudonyms` : ''
  return `${forDays(days)}${person}${hosts ? '' : ', without sites'}`
}

export async function ledgerPlace(machine: Machine, ledger: string): Promise<Place> {
  const what = 'acceptances of the policy'
  const limit = machine.variables.PRUNE_OLDER_THAN?.trim()
  const isOn = await machine.isEnabled('gateway-prune.timer')
  const common = { what, where: ledger, isBeyondReach: false }
  if (limit && isOn === true) {
    const fault = await pruneFault(machine, limit)
    if (fault !== undefined) return { ...common, kept: null, set: fault }
    return { ...common, kept: `for ${limit}`, set: 'PRUNE_OLDER_THAN in .env' }
  }
  if (isOn === undefined || machine.runBy === 'compose') {
    return { ...common, kept: null, set: 'a nightly gatewayctl portal acceptances prune --older-than 400d --yes' }
  }
  const missing = limit ? `PRUNE_OLDER_THAN is ${limit}, but its timer is off: ` : ''
  const enable = 'systemctl enable --now gateway-prune.timer'
  return { ...common, kept: null, set: `${missing}${limit ? enable : `PRUNE_OLDER_THAN=400d in .env, and ${enable}`}` }
}

/** What keeps the job of a timer that is on from deleting everything older than the limit. */
async function pruneFault(machine: Machine, limit: string): Promise<string | undefined> {
  const age = parseAge(limit)
  if (age === undefined || age < PRUNED_MS) {
    return `PRUNE_OLDER_THAN in .env: it is ${limit}, and must be an age of at least a day in m, h, d or w, such as 400d`
  }
  if (!(await machine.hasFailed('gateway-prune.service'))) return undefined
  return `${startAgain('gateway-prune')} (PRUNE_OLDER_THAN is ${limit}, but the last deletion has failed)`
}

export const POSTGRESQL: Place = {
  what: "deleted rows in PostgreSQL's files, write-ahead log and backups",
  where: 'PostgreSQL',
  kept: null,
  set: 'vacuum, and what deletes its archived log and its backups: docs/privacy.md',
  isBeyondReach: true,
}

/** What no command of the gateway can delete one person from. */
export async function placesBeyondReach(machine: Machine): Promise<readonly Place[]> {
  return [...logPlaces(machine), ...(await backupPlaces(machine)), ...replacedPlaces(machine)]
}
