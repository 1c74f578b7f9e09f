// A connector's decision request, parsed from its JSON body.

import { hostOf } from '../../network/host.ts'
import { parseClient } from '../request/client.ts'
import { type DecisionRequest, parseRequestedUrl } from '../request/decision-request.ts'
import { parseReportedUser } from '../request/user.ts'

/** The whole URL goes into a Location header, which portals read within 16 KiB of headers. */
const MAXIMUM_URL_BYTES = 8192
/** The limit of DNS, which the URL parser does not enforce. A longer host might not fit into a payload. */
const MAXIMUM_HOST_CHARACTERS = 253
/** A token of RFC 9110. */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/

/**
 * Reads `{"url": "…", "client": "…", "user": "…", "method": "…"}`, the last two optional, or returns what is wrong with it.
 * Unknown members are ignored.
 * @param affixes see `parseUser`
 */
export function parseDecisionRequest(json: unknown, affixes: readonly string[]): DecisionRequest | string {
  const { url, client: address, user: name = null, method = 'GET' } = (json ?? {}) as Record<string, unknown>
  const client = typeof address === 'string' ? parseClient(address) : undefined
  if (client === undefined) return '"client" must be an IP address without a zone.'
  const requested = typeof url === 'string' ? parseRequestedUrl(url) : undefined
  if (requested === undefined) return '"url" must be an absolute http or https URL.'
  const { destination } = requested
  if (destination.href.length > MAXIMUM_URL_BYTES) return `"url" must have at most ${MAXIMUM_URL_BYTES} bytes.`
  if (hostOf(destination).length > MAXIMUM_HOST_CHARACTERS) return 'The host of "url" is too long.'
  const reported = typeof name === 'string' ? parseReportedUser(name, affixes) : undefined
  if (reported === undefined && name !== null) {
    return '"user" must be a string of 1 to 256 bytes without control characters, or missing.'
  }
  if (typeof method !== 'string' || !METHOD.test(method)) return '"method" must be an HTTP method.'
  return { ...requested, method, client, user: reported?.user }
}
