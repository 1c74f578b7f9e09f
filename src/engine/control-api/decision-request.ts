// A connector's decision request, parsed from its JSON body.
import { type Destination, parseDestination } from '../../contract/destination.ts'
import { type Client, parseClient } from '../policy/client.ts'

export interface DecisionRequest {
  readonly destination: Destination
  readonly client: Client
}

/** The whole URL goes into a Location header, which portals read within 16 KiB of headers. */
const MAXIMUM_URL_BYTES = 8192
/** The limit of DNS, which the URL parser does not enforce. A longer host might not fit into a payload. */
const MAXIMUM_HOST_CHARACTERS = 253

/** Reads `{"url": "…", "client": "…"}`, or returns what is wrong with it. Unknown members are ignored. */
export function parseDecisionRequest(body: Buffer): DecisionRequest | string {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return 'The body is not JSON.'
  }
  const { url, client: address } = (json ?? {}) as Record<string, unknown>
  const client = typeof address === 'string' ? parseClient(address) : undefined
  if (client === undefined) return '"client" must be an IP address without a zone.'
  const destination = typeof url === 'string' ? parseDestination(url) : undefined
  if (destination === undefined) return '"url" must be an absolute http or https URL.'
  if (destination.href.length > MAXIMUM_URL_BYTES) return `"url" must have at most ${MAXIMUM_URL_BYTES} bytes.`
  if (new URL(destination.href).hostname.length > MAXIMUM_HOST_CHARACTERS) return 'The host of "url" is too long.'
  return { destination, client }
}
