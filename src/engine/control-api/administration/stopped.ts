// Lists stopped requests from the journal: those of a time, or what has come since an earlier call.
import * as z from 'zod'
import type { ListedStop } from '../../../contract/administration.ts'
import { DICTATED_REFERENCE, parseReference } from '../../../contract/reference.ts'
import type { AddressRange } from '../../../network/address-range.ts'
import { parseAddressRange } from '../../../network/address-range.ts'
import { parsed } from '../../../settings/shapes.ts'
import { findStops, type Position, PSEUDONYM, type Stop } from '../../journal/find-stops.ts'
import type { Journal } from '../../journal/journal.ts'
import { createNetworkPseudonyms } from '../../journal/network-pseudonyms.ts'
import { findSamePage } from '../../journal/same-page.ts'
import { parseUser, USER_RULE } from '../../request/user.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, instant, isoTime, limit, roomName, ruleName } from './call.ts'
import { hasOnePlace, ONE_PLACE, wholeHost } from './permissions.ts'

const NO_JOURNAL = 'The engine keeps no journal: [journal] days is 0.'
/** A row is written up to a second late, by engines whose clocks differ. */
const LATE_MS = 10_000

const client = parsed(
  'an address without a zone, a network such as "10.20.0.0/16", or a pseudonym',
  parseSelectedClient,
)

/** Where to go on. Rows up to `from` have all been returned, if it is not the next part of a response. */
interface Continuation extends Position {
  readonly from: number
}

const continuation = parsed('"next" of an earlier response', (text): Continuation | undefined => {
  const [, from, at = from, reference = ''] = /^(\d{1,15})(?:-(\d{1,15})-([A-Za-z0-9_-]{22}))?$/.exec(text) ?? []
  return from === undefined ? undefined : { from: Number(from), at: Number(at), reference }
})

export const dictatedReference = z
  .string('must be a string')
  .transform(parseReference)
  .pipe(z.string().regex(DICTATED_REFERENCE, 'must have 8 to 22 letters, digits, "-" and "_"'))

export function stoppedCall({ policies, journal, clock }: Administration) {
  const user = parsed(`${USER_RULE}; or a pseudonym`, (text) =>
    PSEUDONYM.test(text) ? text : parseUser(text, policies.current.affixes),
  )
  const shape = z
    .strictObject({
      ...{ rule: ruleName.optional(), client: client.optional(), room: roomName(policies).optional() },
      ...{ user: user.optional(), host: wholeHost.optional(), reference: dictatedReference.optional() },
      ...{ since: instant.optional(), after: continuation.optional(), limit },
    })
    .refine(hasOnePlace, ONE_PLACE)
  const networkPseudonyms = createNetworkPseudonyms()
  return administrationCall('stopped', shape, async ({ limit, after, client, room, ...selected }) => {
    if (journal === undefined) return { refused: problem(409, NO_JOURNAL) }
    const { dialect, settings } = journal
    const filter = { ...selected, networks: room?.networks, ...client }
    const now = clock()
    return await journal.read('be searched', async (transaction) => {
      const found = await findStops(transaction, dialect, filter, limit + 1, { after, networkPseudonyms })
      const stops = found.stops.slice(0, limit)
      const more = found.stops.length > limit
      const samePage = await findSamePage(transaction, dialect, stops)
      return {
        stops: stops.map((stop, at) => ({ ...describeStop(stop), same_page: samePage[at] ?? [] })),
        more,
        next: continuationText(nextContinuation(journal, now, stops.at(-1), more, after)),
        without_pseudonyms: found.withoutPseudonyms,
        without_some_clients: found.withoutSomeClients,
        kept: { days: settings.days, person_days: settings.personDays, hosts: settings.hosts },
      }
    })
  })
}

/** Nothing is missed: what comes twice, the caller recognises by its reference. */
function nextContinuation(
  { status }: Pick<Journal, 'status'>,
  now: number,
  last: Stop | undefined,
  more: boolean,
  after: Continuation | undefined,
): Continuation {
  const settled = Math.max(0, now - LATE_MS)
  if (after === undefined) return startingAt(more && last !== undefined ? Math.max(settled, last.at) : settled)
  if (more && last !== undefined) return { from: after.from, at: last.at, reference: last.reference }
  // Rows that this engine could not write yet will be older than what others write meanwhile.
  return startingAt(status.isUp ? Math.max(settled, after.from) : after.from)
}

function startingAt(from: number): Continuation {
  return { from, at: from, reference: '' }
}

function continuationText({ from, at, reference }: Continuation): string {
  return reference === '' ? `${from}` : `${from}-${at}-${reference}`
}

function describeStop(stop: Stop): Omit<ListedStop, 'same_page'> {
  const { reference, verdict, category, entry, host, client } = stop
  return {
    ...{ at: isoTime(stop.at), reference, verdict, rule: stop.rule_name },
    ...{ category, list: stop.list_name, entry, host },
    ...{ client, user: stop.user_name, group: stop.group_name },
    pseudonyms: stop.key_id !== null,
  }
}

function parseSelectedClient(
  text: string,
): { readonly client: string } | { readonly networks: readonly AddressRange[] } | undefined {
  if (PSEUDONYM.test(text)) return { client: text }
  const network = parseAddressRange(text)
  return network && { networks: [network] }
}
