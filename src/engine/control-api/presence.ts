// Reports of who uses an address, from a RADIUS or DHCP server. They are JSON, or the URL's query: FreeRADIUS spells a name in JSON
// wrongly unless it is ASCII. Responses have no body: FreeRADIUS would take its members for attributes.
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { type AddressRange, isFromOneOf } from '../../network/address-range.ts'
import { parsed } from '../../settings/shapes.ts'
import type { Clock } from '../clock.ts'
import type { Monitoring } from '../monitoring/monitoring.ts'
import type { PolicyStore } from '../policy/reload/policy-store.ts'
import { parseUser, USER_RULE } from '../request/user.ts'
import { MAXIMUM_PRESENCES, type Presences } from '../state/presences.ts'
import { clientAddress, detailOf, instant, isoTime, unlessUnavailable, wordIssue } from './administration/call.ts'
import { type JsonBody, readJson } from './request-body.ts'
import { type ApiResponse, type Handle, problem } from './responses.ts'

export interface PresenceCallOptions {
  readonly state: Presences
  readonly policies: PolicyStore
  /** PROXY_AUTH_EXCEPT. */
  readonly authExcept: readonly AddressRange[]
  readonly monitoring: Pick<Monitoring, 'administered'>
  readonly clock: Clock
}

const DONE: ApiResponse = { status: 204, headers: {}, body: '' }
const FULL = `There are reports about ${MAXIMUM_PRESENCES.toLocaleString('en')} addresses already.`

const client = clientAddress.transform(({ address }) => address)
/** A reload may change the affixes: they are removed when the user is compared. */
const user = parsed(USER_RULE, (text) => parseUser(text, []))
const seconds = z.union([z.number(), z.string().regex(/^[0-9]{1,12}$/)]).transform((value) => Number(value) * 1000)
const time = z.union([instant, seconds], 'must be a time such as "2026-11-20T08:00:00Z", or seconds since 1970')
const addressed = z.looseObject({ client })
const report = z.strictObject({ client, user, until: time })
const end = z.strictObject({ client, user: user.optional() })

export function presenceCalls({ state, policies, authExcept, monitoring, clock }: PresenceCallOptions): {
  readonly put: Handle
  readonly delete: Handle
} {
  const named = (user: string) => parseUser(user, policies.current.affixes)

  async function endAt(address: string, from: string | undefined, isTheirs: (user: string) => boolean): Promise<void> {
    const ended = await state.endPresence(address, isTheirs)
    if (ended !== undefined) {
      monitoring.administered({ event: 'presence.ended', from, client: address, user: named(ended) ?? ended })
    }
  }

  return {
    put: unlessUnavailable(async (request) => {
      const from = request.socket.remoteAddress
      const body = request.url?.includes('?') ? readQuery(request) : await readJson(request)
      if (body.refused !== undefined) return body.refused
      const about = addressed.safeParse(body.json, { error: wordIssue })
      if (about.error !== undefined) return problem(400, detailOf(about.error))
      const address = about.data.client
      if (!isFromOneOf(authExcept, address)) return problem(403, `${address} is not in the engine's PROXY_AUTH_EXCEPT.`)
      const { data, error } = report.safeParse(body.json, { error: wordIssue })
      const isPast = data !== undefined && data.until <= clock()
      if (error !== undefined || isPast) {
        // The address is used by somebody else than the user who was reported before.
        await endAt(address, from, () => true)
        return problem(400, error === undefined ? '"until" must be in the future.' : detailOf(error))
      }
      const { user, until } = data
      const result = await state.reportPresence({ address, user, until })
      if (result.kind === 'full') return problem(409, FULL)
      const { previous, expiresAt } = result
      // A RADIUS server repeats its reports: the log has the changes.
      if (previous === undefined || named(previous) !== named(user)) {
        const line = { from, client: address, user: named(user) ?? user, until: isoTime(expiresAt) }
        monitoring.administered({ event: 'presence.reported', ...line })
      }
      return DONE
    }),
    delete: unlessUnavailable(async (request) => {
      const query = readQuery(request)
      if (query.refused !== undefined) return query.refused
      const { data, error } = end.safeParse(query.json, { error: wordIssue })
      if (error !== undefined) return problem(400, detailOf(error))
      // The end of one device's connection may be reported after the beginning of the next one's, at the same address.
      const isTheirs = (current: string) => data.user === undefined || named(current) === named(data.user)
      await endAt(data.client, request.socket.remoteAddress, isTheirs)
      return DONE
    }),
  }
}

/** The parameters of the URL, each once. */
function readQuery({ url = '' }: IncomingMessage): JsonBody {
  const parameters = [...new URLSearchParams(url.slice(url.indexOf('?') + 1))]
  const members = Object.fromEntries(parameters)
  const isRepeated = Object.keys(members).length < parameters.length
  return isRepeated ? { refused: problem(400, 'Each parameter must be set once.') } : { json: members }
}
