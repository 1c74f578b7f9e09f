// The encapsulated HTTP head: what the visitor requested. A request that could be read in two ways is refused, with an HTTP
// response: the visitor sent it, not the proxy, whose connection must survive it.
import { type Destination, parseDestination } from '../../contract/destination.ts'
import { hostOf } from '../../network/host.ts'
import type { OrReason } from '../or-reason.ts'
import type { DecisionRequest, Identity } from '../request/decision-request.ts'
import { TOKEN_CHARACTERS } from '../request/http-token.ts'
import { parseTarget } from '../request/target.ts'
import { firstLineOf, visitFields } from './head-fields.ts'
import type { RefusalPage } from './refusal-page.ts'

export type HttpRequest = Omit<DecisionRequest, keyof Identity>

/** Why a request gets an HTTP error. */
export interface HttpRefusal {
  readonly status: 400 | 403 | 414 | 421
  /** For the log. */
  readonly reason: string
  /** For the visitor; undefined for an empty response. */
  readonly page?: RefusalPage
}

const REQUEST_LINE = new RegExp(`^([${TOKEN_CHARACTERS}]{1,32}) ([\\x21-\\x7e\\x80-\\xff]+) HTTP/[0-9](?:\\.[0-9])?$`)
/** Host and port. Text that one parser reads as a name and another as a path or credentials does not match. */
const AUTHORITY = /^[^/?#@\\]+$/
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\\]+)(?:[/?][^#]*)?$/i
const CONNECT_TARGET = /^[^/?#@\\]+:[0-9]{1,5}$/

/** @param bytes the head with its empty line */
export function parseHttpHead(bytes: Buffer): OrReason<HttpRequest, HttpRefusal> {
  const head = bytes.toString('latin1')
  const [, method, target = ''] = REQUEST_LINE.exec(firstLineOf(head)) ?? []
  if (method === undefined) return refuse('the HTTP request line is invalid')
  const hosts: string[] = []
  const fault = visitFields(head, (name, value) => {
    if (name === 'host') hosts.push(value)
  })
  if (fault !== undefined) return refuse(`the HTTP head has ${fault}`)
  const [host] = hosts
  if (hosts.length > 1) return refuse('Host appears more than once')
  if (host !== undefined && !AUTHORITY.test(host)) return refuse('Host is invalid')

  const requested = urlOf(method, target, host)
  if (requested.reason !== undefined) return requested
  const parsed = parseTarget(requested.url)
  if (parsed.reason !== undefined) {
    return { status: parsed.reason === 'the URL is too long' ? 414 : 400, reason: parsed.reason }
  }
  if (host !== undefined && !isHost(host, parsed.destination, parsed.host)) {
    return refuse('Host is not the host of the target')
  }
  return { method, ...parsed }
}

/** The absolute URL of a request target (RFC 9112, section 3.2). */
function urlOf(
  method: string,
  target: string,
  host: string | undefined,
): OrReason<{ readonly url: string }, HttpRefusal> {
  if (method === 'CONNECT') {
    if (!CONNECT_TARGET.test(target)) return refuse('the target of CONNECT is invalid')
    return { url: `https://${encoded(target)}/` }
  }
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) {
    if (host === undefined) return refuse('Host is missing')
    if (target.includes('#')) return refuse('the target has a fragment')
    // The proxy does not report whether it decrypted the request: the port is the only indication.
    const scheme = host.endsWith(':443') ? 'https' : 'http'
    return { url: `${scheme}://${encoded(host)}${target === '*' ? '/' : encoded(target)}` }
  }
  const [, scheme] = ABSOLUTE.exec(target) ?? []
  if (scheme === undefined) return refuse('the target is invalid')
  if (!/^https?$/i.test(scheme)) return { status: 403, reason: 'only http and https can be decided' }
  return { url: encoded(target) }
}

function isHost(host: string, destination: Destination, name: string): boolean {
  if (host === destination.host) return true
  const named = parseDestination(`${destination.scheme}${encoded(host)}/`)
  return named !== undefined && hostOf(named) === name
}

/** With bytes beyond ASCII percent-encoded one by one: the URL parser would read each as a character. */
function encoded(text: string): string {
  return text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}

function refuse(reason: string): HttpRefusal {
  return { status: 400, reason }
}
