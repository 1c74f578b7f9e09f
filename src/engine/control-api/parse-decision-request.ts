// A connector's decision request, parsed from its JSON body.
import type { OrReason } from '../or-reason.ts'
import { parseClient } from '../request/client.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import { TOKEN_CHARACTERS } from '../request/http-token.ts'
import { MAXIMUM_REQUESTED_URL_BYTES, parseTarget, type TargetFault } from '../request/target.ts'
import { parseReportedUser } from '../request/user.ts'

const METHOD = new RegExp(`^[${TOKEN_CHARACTERS}]{1,32}$`)

const TARGET_RULES: Readonly<Record<TargetFault, string>> = {
  'the URL is invalid': '"url" must be an absolute http or https URL.',
  'the URL is too long': `"url" must have at most ${MAXIMUM_REQUESTED_URL_BYTES} bytes.`,
  'the host is too long': 'The host of "url" is too long.',
}

/**
 * Reads `{"url": "…", "client": "…", "user": "…", "method": "…"}`, the last two optional, or returns what is wrong with it.
 * Unknown members are ignored.
 * @param affixes see `parseUser`
 */
export function parseDecisionRequest(json: unknown, affixes: readonly string[]): OrReason<DecisionRequest> {
  const { url, client: address, user: name = null, method = 'GET' } = (json ?? {}) as Record<string, unknown>
  const client = typeof address === 'string' ? parseClient(address) : undefined
  if (client === undefined) return { reason: '"client" must be an IP address without a zone.' }
  const target = parseTarget(typeof url === 'string' ? url : '')
  if (target.reason !== undefined) return { reason: TARGET_RULES[target.reason] }
  const reported = typeof name === 'string' ? parseReportedUser(name, affixes) : undefined
  if (reported === undefined && name !== null) {
    return { reason: '"user" must be a string of 1 to 256 bytes without control characters, or missing.' }
  }
  if (typeof method !== 'string' || !METHOD.test(method)) return { reason: '"method" must be an HTTP method.' }
  return { ...target, method, client, user: reported?.user }
}
