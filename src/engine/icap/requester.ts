// Whose request it is, from the ICAP head alone: fields of the HTTP head are the visitor's own.
import type { OrReason } from '../or-reason.ts'
import { parseClient } from '../request/client.ts'
import type { Identity } from '../request/decision-request.ts'
import { parseReportedUser, type ReportedUser } from '../request/user.ts'
import { type IcapHead, type IcapProblem, malformed } from './icap-head.ts'

/** How X-Client-Username is written. Guessing would turn a user `YWxpY2U=` into somebody else. */
export type UsernameEncoding = 'plain' | 'base64'

type Fields = Pick<IcapHead, 'clientAddress' | 'username' | 'authenticatedUser'>

/** @param affixes see `parseUser` */
export function parseRequester(
  fields: Fields,
  encoding: UsernameEncoding,
  affixes: readonly string[],
): OrReason<Identity, IcapProblem> {
  const { clientAddress, username = '', authenticatedUser = '' } = fields
  // Without an address, all visitors would share one session.
  if (clientAddress === undefined) return malformed('X-Client-IP is missing: in Squid, set icap_send_client_ip on')
  const client = parseClient(clientAddress)
  if (client === undefined) return malformed('X-Client-IP must be an IP address')
  if (username === '' && authenticatedUser === '') return { client, user: undefined }
  const reported: (ReportedUser | undefined)[] = []
  if (username !== '') {
    const name = encoding === 'base64' ? decodeBase64(username) : decodePlain(username)
    reported.push(name === undefined ? undefined : parseReportedUser(name, affixes))
  }
  if (authenticatedUser !== '') {
    // No base64 has a colon. FortiGate writes an empty domain for local users: `WinNT:///alice`.
    const uri = authenticatedUser.includes(':')
      ? decodeUtf8(Buffer.from(authenticatedUser, 'latin1'))
      : decodeBase64(authenticatedUser)
    const [, name] = /^[a-z][a-z0-9+.-]*:\/\/\/?(.+)$/is.exec(uri ?? '') ?? []
    reported.push(name === undefined ? undefined : parseReportedUser(name, affixes))
  }
  if (reported.includes(undefined)) return malformed(FORMS[encoding])
  const [user, other = user] = reported.flatMap((one) => one?.user ?? [])
  if (user !== other) return malformed('X-Client-Username and X-Authenticated-User name different users')
  return { client, user }
}

const AUTHENTICATED =
  'X-Authenticated-User scheme://name, such as WinNT://SCHOOL/alice, in UTF-8 or base64; at most 256 bytes'
const FORMS: Readonly<Record<UsernameEncoding, string>> = {
  plain: `X-Client-Username must be UTF-8, and ${AUTHENTICATED}`,
  base64: `X-Client-Username must be base64, and ${AUTHENTICATED}`,
}

/** Of a proxy with the other setting, all visitors without a user would share the one that the base64 of `-` names. */
function decodePlain(text: string): string | undefined {
  const decoded = decodeBase64(text)
  return decoded !== undefined && NOBODY.test(decoded) ? decoded : decodeUtf8(Buffer.from(text, 'latin1'))
}

const NOBODY = /^(?:-|\(null\)|[a-z]+:\/\/\/?)$/i

function decodeBase64(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? decodeUtf8(bytes) : undefined
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
