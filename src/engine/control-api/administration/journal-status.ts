// What the status says of the journal.
import type { EngineStatus } from '../../../contract/administration.ts'
import { DatabaseUnavailable } from '../../../database/unavailable.ts'
import type { Journal } from '../../journal/journal.ts'
import type { EngineState } from '../../state/state.ts'
import { isoTime } from './call.ts'

/** Null where it is turned off. */
export async function describeJournal(
  journal: Journal | undefined,
  { lostEvents }: Pick<EngineState, 'lostEvents'>,
): Promise<EngineStatus['journal']> {
  if (journal === undefined) return null
  const { days, personDays, hosts } = journal.settings
  const oldest = await readOldest(journal)
  const { isUp, fault, queued, lost } = journal.status
  return {
    ...{ up: isUp, fault: fault ?? null, queued, lost, lost_events: lostEvents, days, person_days: personDays, hosts },
    oldest: oldest === undefined ? null : isoTime(oldest),
  }
}

/** When the oldest stopped request was; undefined where that cannot be read. */
async function readOldest(journal: Journal): Promise<number | undefined> {
  // Otherwise the status would wait for a database that does not respond.
  if (!journal.status.isUp) return undefined
  try {
    return await journal.read('be read', async (transaction) => {
      const first = await transaction.selectFrom('journal_stop').select('at').orderBy('at').limit(1).executeTakeFirst()
      return first && Number(first.at)
    })
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined
    throw error
  }
}
