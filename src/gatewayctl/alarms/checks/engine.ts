// The engine: whether it responds, and what it reports about database, policy, lists and journal.
import { rootCertificates } from 'node:tls'
import type { EngineStatus } from '../../../contract/administration.ts'
import { portalVariables } from '../../deployment/portal-variables.ts'
import { send } from '../../doctor/request.ts'
import { callEngine } from '../../engine/client.ts'
import { type Connection, findEngine } from '../../engine/connection.ts'
import { writeFault } from '../../engine/database-fault.ts'
import { Failure } from '../../failure.ts'
import { type Cause, type Checked, harmless } from '../cause.ts'
import type { State } from '../state.ts'
import type { Surroundings } from './surroundings.ts'

/** A running engine answers within milliseconds. */
const SECONDS = 15
const REPORTED = ['engine-database', 'policy', 'lists', 'journal']
/** How long rows that were lost remain a cause. */
const RECENT_MS = 60 * 60_000
const MAXIMUM_NAMES = 5
/** How long an optional list may be missing. */
const MISSING_MS = 24 * 60 * 60_000

export async function checkEngine(surroundings: Surroundings): Promise<Checked> {
  const { context, remedyFor } = surroundings
  if (portalVariables(context.env).ENGINE_INTERNAL_URL?.trim() === '') return { causes: [] }
  const connection = await findEngine(context, {})
  try {
    return { causes: reportedCauses(await callEngine(connection, 'status', {}, SECONDS), surroundings) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isUp = await responds(connection)
    const cause: Cause = isUp
      ? {
          id: 'engine-status',
          summary: `The engine responds, but its status cannot be read: ${harmless(error.message)}`,
          remedy: 'gatewayctl engine status',
        }
      : {
          id: 'engine',
          summary: `The engine does not respond: ${harmless(error.message)}`,
          remedy: remedyFor('engine'),
        }
    return { causes: [cause], unknown: isUp ? REPORTED : [...REPORTED, 'engine-status'] }
  }
}

/** Nothing secret is sent. */
async function responds({ url, roots }: Connection): Promise<boolean> {
  return await send({ url: new URL('/healthz', url), roots: [...roots, ...rootCertificates] }).then(
    () => true,
    () => false,
  )
}

export function reportedCauses(
  status: EngineStatus,
  { journal, now }: Pick<Surroundings, 'journal' | 'now'>,
): readonly Cause[] {
  const { policy, last_load: load, database } = status
  const fault = writeFault(database)
  const lists = policy.lists.filter((one) => one.fallback !== null && !mayBeMissing(one, now))
  const isListRejected = load.result === 'loaded' && load.problems.length > 0
  return [
    ...(fault === undefined
      ? []
      : [
          {
            id: 'engine-database',
            summary: `The engine’s database ${harmless(fault)}`,
            remedy: 'gatewayctl engine status; free space there, or start the database of [state] url',
          },
        ]),
    ...(load.result === 'kept'
      ? [
          {
            id: 'policy',
            summary: `The engine has rejected its last reload (problems: ${load.problems.length}); what was in force before stays`,
            remedy: 'gatewayctl engine reload',
          },
        ]
      : []),
    ...(lists.length === 0 && !isListRejected
      ? []
      : [
          {
            id: 'lists',
            summary: `Lists whose files are not in force, or lists or groups that were rejected: ${lists.length === 0 ? load.problems.length : named(lists)}`,
            remedy: 'gatewayctl engine reload; systemctl start gateway-lists',
          },
        ]),
    ...journalCauses(journal, status.journal, now),
  ]
}

function mayBeMissing({ fallback, optional, since }: EngineStatus['policy']['lists'][number], now: number): boolean {
  return optional && fallback === 'missing' && (since === null || now - Date.parse(since) <= MISSING_MS)
}

function named(lists: EngineStatus['policy']['lists']): string {
  const names = lists.slice(0, MAXIMUM_NAMES).map(({ name }) => harmless(name, 40))
  return [...names, ...(lists.length > MAXIMUM_NAMES ? [`and ${lists.length - MAXIMUM_NAMES} more`] : [])].join(', ')
}

/** @returns the journal as this round leaves it, for the state */
function journalAfter(before: State['journal'], journal: EngineStatus['journal'], now: number): State['journal'] {
  if (journal === null) return before
  const lost = journal.lost + journal.lost_events
  // A lower number is that of an engine that was restarted.
  const grew = lost > before.lost || (lost < before.lost && lost > 0)
  return { lost, grewAt: grew ? now : before.grewAt }
}

function journalCauses(
  keep: Surroundings['journal'],
  reported: EngineStatus['journal'],
  now: number,
): readonly Cause[] {
  const journal = journalAfter(keep.before, reported, now)
  keep.after = journal
  const isDown = reported?.up === false
  const isLosing = journal.grewAt !== null && now - journal.grewAt < RECENT_MS
  if (!isDown && !isLosing) return []
  const lost = `it has lost ${journal.lost.toLocaleString('en')} rows since the engine’s start`
  return [
    {
      id: 'journal',
      summary: isDown ? `The engine’s journal cannot be written; ${lost}` : `The engine’s journal loses rows: ${lost}`,
      remedy: 'gatewayctl engine status; df -h',
    },
  ]
}
