// Whether the engine writes its journal, and what that keeps, as a finding.
import type { EngineStatus } from '../../contract/administration.ts'
import { type Finding, failing, ok } from '../doctor/finding.ts'
import { counted } from './load-result.ts'

const NO_ROOM = 'lower [journal] days: there are 500,000 events (docs/journal.md, "Events")'
const ADVICE =
  'free space there, or start the database of [journal] url (docs/journal.md, "When its database fails"); decisions do not wait for it'

/** Failing while it cannot be written, because rows are about to be lost. */
export function journalFinding(tried: string, journal: EngineStatus['journal']): Finding {
  const check = 'journal'
  if (journal === null) return { check, state: 'off', tried, detail: 'turned off ([journal] days = 0)' }
  const { up, fault, queued, lost, lost_events: lostEvents, days, person_days, oldest } = journal
  const parts = [
    ...(lost === 0 ? [] : [counted(lost, 'stopped request')]),
    ...(lostEvents === 0 ? [] : [counted(lostEvents, 'acknowledgement')]),
  ]
  const missing = parts.length === 0 ? '' : `; ${parts.join(' and ')} missing since the engine’s start`
  if (!up) return failing(check, tried, `${fault}; ${counted(queued, 'stopped request')} in memory${missing}`, ADVICE)
  const since = oldest === null ? 'no stopped request yet' : `stopped requests since ${oldest}`
  const kept = `${since}; kept for ${counted(days, 'day')}, with client and user for ${person_days}`
  if (missing === '') return ok(check, tried, kept)
  return { check, state: 'warning', tried, detail: `${kept}${missing}`, advice: lost > 0 ? ADVICE : NO_ROOM }
}
