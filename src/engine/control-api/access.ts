// Who may use the control API: which addresses, and with which token. Loopback proves nothing: a proxy on this machine
// forwards requests from strangers.
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { type AddressRange, isFromOneOf } from '../../network/address-range.ts'
import { equalInConstantTime } from '../constant-time.ts'
import { createRefusalLog } from '../monitoring/refusal-log.ts'
import { parseClient } from '../request/client.ts'
import { type ApiResponse, problem } from './responses.ts'

export interface AccessOptions {
  /** For connectors and portals. */
  readonly apiToken: string
  /** For administration; undefined where the API token suffices for it. */
  readonly adminToken: string | undefined
  /** For reports of users; undefined where there are none. */
  readonly presenceToken: string | undefined
  /** Addresses that may connect; undefined for all. */
  readonly clients: readonly AddressRange[] | undefined
  readonly log: Logger
}

export type Access = 'open' | 'token' | 'administration' | 'presence'

/** Returns the response to a request that is refused; undefined if it may proceed. Reads nothing but the head. */
export type RefuseAccess = (request: IncomingMessage, access: Access, path: string) => ApiResponse | undefined

const OWN_TOKEN: Readonly<Record<Access, string | undefined>> = {
  open: undefined,
  token: undefined,
  administration: 'Administration requires the token of [control] admin_token.',
  presence: 'Reports of users require the token of [presence] token_file.',
}

export function createAccess({ apiToken, adminToken, presenceToken, clients, log }: AccessOptions): {
  readonly refuseAddress: (request: IncomingMessage) => ApiResponse | undefined
  readonly refuseToken: RefuseAccess
} {
  const logRefusal = createRefusalLog(log)
  return {
    refuseAddress({ socket: { remoteAddress } }) {
      if (isFromOneOf(clients, remoteAddress)) return undefined
      const client = parseClient(remoteAddress ?? '')?.address
      logRefusal('not in [control] clients', '', { client })
      return problem(403, `${client} is not in [control] clients.`, { headers: { connection: 'close' } })
    },
    refuseToken(request, access, path) {
      if (access === 'open') return undefined
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      const own = { administration: adminToken, presence: presenceToken, token: undefined }[access]
      if (token !== undefined && equalInConstantTime(token, own ?? apiToken)) return undefined
      logRefusal('control API request rejected: token missing or wrong', path, {
        path,
        client: request.socket.remoteAddress,
      })
      if (own !== undefined && token !== undefined && equalInConstantTime(token, apiToken)) {
        return problem(403, OWN_TOKEN[access])
      }
      return problem(401, undefined, { headers: { 'www-authenticate': 'Bearer' } })
    },
  }
}
