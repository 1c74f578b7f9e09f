// The acceptances of a person, in the ledgers: found by the references that the engines name, and by the address.
import { LedgerUnavailable } from '../../../ledger/ledger-unavailable.ts'
import type { DatabaseLocation } from '../../../settings/sections/database.ts'
import { shownAddress } from '../../../settings/sections/postgres-url.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { ledgerLocation } from '../../portal/acceptances/database.ts'
import {
  deletePersonsAcceptances,
  findPersonsAcceptances,
  type PersonsVerdicts,
} from '../../portal/acceptances/ledger/person.ts'
import type { AcceptanceWithAttempts } from '../../portal/acceptances/ledger/reading.ts'
import type { PersonOptions } from '../person-options.ts'
import type { PersonRows } from './engines.ts'

export interface LedgerSource {
  readonly ledger: string
  readonly isPostgres: boolean
  readonly acceptances: readonly AcceptanceWithAttempts[]
  delete(): ReturnType<typeof deletePersonsAcceptances>
}

/** Of all that are named; of the others, why they cannot be read. */
export async function readLedgers(
  context: Context,
  options: PersonOptions,
  verdicts: PersonsVerdicts,
): Promise<{ readonly ledgers: readonly LedgerSource[]; readonly unreachable: readonly string[] }> {
  const ledgers: LedgerSource[] = []
  const unreachable: string[] = []
  if (!options.acceptances) return { ledgers, unreachable }
  for (const file of options.databaseUrlFile ?? [undefined]) {
    try {
      const location = ledgerLocation(context, file === undefined ? {} : { databaseUrlFile: file })
      ledgers.push(await readLedger(location, verdicts, context.clock))
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) && !(error instanceof Failure)) throw error
      unreachable.push(error.message)
    }
  }
  return { ledgers, unreachable }
}

/** Verdicts about which there may be an acceptance. */
export function referencesOf({ sessions, redemptions, events, stops, memory }: PersonRows): readonly string[] {
  const policies = [...stops, ...memory].filter(({ verdict }) => verdict === 'aup')
  const all = [...sessions, ...redemptions, ...events, ...policies].map(({ reference }) => reference)
  return [...new Set(all.filter((reference) => reference !== null))]
}

export function ledgerName(location: DatabaseLocation): string {
  return location.dialect === 'sqlite' ? location.path : `PostgreSQL at ${shownAddress(location.server)}`
}

async function readLedger(
  location: DatabaseLocation,
  verdicts: PersonsVerdicts,
  clock: Context['clock'],
): Promise<LedgerSource> {
  const acceptances = await findPersonsAcceptances(location, verdicts)
  return {
    ledger: ledgerName(location),
    isPostgres: location.dialect === 'postgres',
    acceptances,
    delete: () =>
      deletePersonsAcceptances(
        location,
        acceptances.map(({ jti }) => jti),
        clock,
      ),
  }
}
