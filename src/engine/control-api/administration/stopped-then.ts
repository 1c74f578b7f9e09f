// Looks up a stopped request by its reference: in this engine's memory, otherwise in the journal, which also has what other engines
// stopped, and what was stopped before a restart, but no path.
import type { Explanation } from '../../../contract/administration.ts'
import { isAddress } from '../../../network/host.ts'
import { findStops, type Stop } from '../../journal/find-stops.ts'
import type { StoppedRequest } from '../../monitoring/stopped-requests.ts'
import { parseClient } from '../../request/client.ts'
import type { DecisionRequest } from '../../request/decision-request.ts'
import { parseTarget } from '../../request/target.ts'
import { parseUser } from '../../request/user.ts'
import type { ApiResponse } from '../responses.ts'
import { problem } from '../responses.ts'
import { type Administration, isoTime } from './call.ts'

type Then = NonNullable<Explanation['stopped']>

interface Found {
  /** What is explained. */
  readonly request: DecisionRequest
  readonly at: number
  readonly then: Then
}

/** One that may be meant. */
interface Candidate {
  readonly reference: string
  readonly at: number
  readonly client: string
  readonly host: string | null
}

const MAXIMUM_CANDIDATES = 10
const MAXIMUM_ACKNOWLEDGEMENTS = 100
/** Stands for a client that is a pseudonym: no rule should name it. */
const NO_CLIENT = '0.0.0.0'

/** @param dictated at least the beginning of a reference */
export async function lookUpStopped(
  administration: Administration,
  dictated: string,
): Promise<Found | { readonly refused: ApiResponse }> {
  const { stopped, journal } = administration
  const [found, ...others] = stopped.find(dictated)
  if (others.length > 0 && found !== undefined) return tooMany([found, ...others].map(candidateOf))
  if (found !== undefined) return await fromMemory(administration, found)
  if (journal === undefined) return { refused: problem(404, unknownText(undefined)) }
  const { stops } = await journal.read('be searched', (transaction) =>
    findStops(transaction, journal.dialect, { reference: dictated }, MAXIMUM_CANDIDATES + 1),
  )
  const [stop, ...more] = stops
  if (stop === undefined) return { refused: problem(404, unknownText(journal.settings.days)) }
  if (more.length > 0) return tooMany(stops)
  return await fromJournal(administration, stop)
}

async function fromMemory(administration: Administration, found: StoppedRequest): Promise<Found> {
  const { reference, at, verdict, rule, reason } = found
  // By the policy in force, like all of the explanation: a reload may have changed what is removed from names.
  const user = found.request.user && parseUser(found.request.user, administration.policies.current.affixes)
  const request = { ...found.request, user }
  const then: Then = {
    ...{ reference, at: isoTime(at), verdict, rule },
    pattern: reason?.pattern ?? null,
    list: reason?.entry?.list ?? null,
    entry: reason?.entry?.entry ?? null,
    ...{ from: 'memory', client: request.client.address, user: user ?? null, pseudonyms: false },
    acknowledgements: await acknowledgementsOf(administration, reference),
  }
  return { request, at, then }
}

async function fromJournal(
  administration: Administration,
  stop: Stop,
): Promise<Found | { readonly refused: ApiResponse }> {
  const { reference, at, host, verdict, rule_name: rule } = stop
  const pseudonyms = stop.key_id !== null
  const client = parseClient(pseudonyms ? NO_CLIENT : stop.client)
  const target = host === null ? undefined : parseTarget(`https://${isIpv6(host) ? `[${host}]` : host}/`)
  if (target === undefined || target.reason !== undefined || client === undefined) {
    return { refused: problem(409, withoutHostText(stop)) }
  }
  const user = (!pseudonyms && stop.user_name) || undefined
  const then: Then = {
    ...{ reference, at: isoTime(at), verdict, rule, pattern: null, list: stop.list_name, entry: stop.entry },
    ...{ from: 'journal', client: stop.client, user: stop.user_name, pseudonyms },
    acknowledgements: await acknowledgementsOf(administration, reference),
  }
  return { request: { ...target, method: 'GET', client, user }, at, then }
}

/** Null where they are not kept, or cannot be read: the explanation is of use without them. */
async function acknowledgementsOf({ journal }: Administration, reference: string): Promise<Then['acknowledgements']> {
  if (journal === undefined) return null
  const rows = await journal
    .readEvents('be searched', (transaction) =>
      transaction
        .selectFrom('engine_event')
        .select(['at', 'outcome', 'lesson_code', 'expires_at'])
        .where('reference', '=', reference)
        .where('event', '=', 'acknowledgement')
        .orderBy('at')
        .limit(MAXIMUM_ACKNOWLEDGEMENTS)
        .execute(),
    )
    .catch(() => null)
  if (rows === null) return null
  return rows.map(({ at, outcome, lesson_code, expires_at }) => ({
    at: isoTime(Number(at)),
    outcome: outcome as NonNullable<Then['acknowledgements']>[number]['outcome'],
    lesson_code,
    expires_at: expires_at === null ? null : isoTime(Number(expires_at)),
  }))
}

function candidateOf({ reference, at, request }: StoppedRequest): Candidate {
  return { reference, at, client: request.client.address, host: request.host }
}

/** What may be meant, a line each. */
function tooMany(candidates: readonly Candidate[]): { readonly refused: ApiResponse } {
  const lines = candidates
    .slice(0, MAXIMUM_CANDIDATES)
    .map(({ reference, at, client, host }) => `${reference}  ${isoTime(at)}  ${client}  ${host ?? '-'}`)
  const more = candidates.length - lines.length
  const rest = more > 0 ? [`and ${more} older ones`] : []
  const lead = `${candidates.length} references begin like this, in capitals or small letters:`
  return { refused: problem(409, [lead, ...lines, ...rest].join('\n')) }
}

/** @param days undefined where there is no journal */
function unknownText(days: number | undefined): string {
  const memory = 'the last 10,000 that this engine has stopped since its start'
  if (days === undefined)
    return `No request with this reference is among ${memory}. The engine keeps no journal: [journal] days is 0.`
  return `No request with this reference is in the journal, which keeps ${days === 1 ? 'a day' : `${days} days`}, or among ${memory}.`
}

function withoutHostText({ at, rule_name: rule, verdict, client }: Stop): string {
  return `It was stopped at ${isoTime(at)} by the rule ${JSON.stringify(rule)} (${verdict}), for ${client}. The journal has no host of it ([journal] hosts = false), so it cannot be explained further.`
}

function isIpv6(host: string): boolean {
  return isAddress(host) && host.includes(':')
}
