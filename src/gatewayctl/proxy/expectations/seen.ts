// What the proxy does with one request, as a browser sees it: that it reaches the site, or the page it leads to.
import { VERDICT_PATH } from '../../../contract/verdict.ts'
import { connectThrough, sendPlain } from '../../doctor/proxy.ts'
import { type Response, send } from '../../doctor/request.ts'
import { VERDICT_TEXTS } from '../../engine/ruled-text.ts'
import type { Gateway } from '../gateway.ts'
import { attempt, describe, type Seen as Received } from '../probe.ts'

type Verdict = keyof typeof VERDICT_PATH | 'allow'

export interface Seen {
  /** `stop`: without a page, so that the kind is not seen. Undefined where the request shows no decision. */
  readonly verdict: Verdict | 'stop' | undefined
  /** In words. */
  readonly text: string
}

type Sender = Pick<Gateway, 'proxy' | 'roots' | 'portal'>

/** Squid's errors after the request was allowed, when it cannot reach the site. */
const SITE_FAILED =
  /^ERR_(DNS_FAIL|CONNECT_FAIL|CANNOT_FORWARD|READ_TIMEOUT|READ_ERROR|WRITE_ERROR|ZERO_SIZE_OBJECT|SECURE_CONNECT_FAIL|INVALID_RESP|LIFETIME_EXP)$/

/** @param isExempt whether the proxy does not decrypt it: it then decides about the tunnel, and shows no page */
export async function seenThrough(sender: Sender, url: URL, isExempt: boolean): Promise<Seen> {
  const received = await attempt(
    url.protocol === 'https:' ? sendInTunnel(sender, url, isExempt) : sendPlain(sender.proxy, { url, headOnly: true }),
  )
  return seenOf(received, sender.portal, isExempt)
}

async function sendInTunnel({ proxy, roots }: Sender, url: URL, isExempt: boolean): Promise<Response> {
  const { socket, status, headers } = await connectThrough(proxy, `${url.hostname}:${url.port || 443}`)
  if (socket !== undefined) return await send({ url, socket, roots, headOnly: true })
  const response = { status, headers, repeated: [], body: Buffer.alloc(0) }
  if (isExempt && (isStop(response) || SITE_FAILED.test(squidErrorOf(response)))) return response
  throw new Error(`the proxy responds to CONNECT with ${describe(response)}`)
}

function seenOf(received: Received, portal: URL, isExempt: boolean): Seen {
  if (received instanceof Error) return { verdict: undefined, text: `no decision: ${received.message}` }
  const { status, headers } = received
  const squidError = squidErrorOf(received)
  const redirected = status === 302 || status === 303 ? pageOf(String(headers.location), portal) : undefined
  if (redirected !== undefined) return { verdict: redirected, text: VERDICT_TEXTS[redirected] }
  if (SITE_FAILED.test(squidError)) {
    return { verdict: 'allow', text: `allowed; the site did not respond: ${status} (${squidError})` }
  }
  if (isExempt && isStop(received)) {
    return { verdict: 'stop', text: 'stopped without a page, because the host is exempt from inspection' }
  }
  const isOfGateway =
    headers['x-squid-error'] !== undefined || status === 407 || headers['x-engine-instance'] !== undefined
  if (isOfGateway) return { verdict: undefined, text: `no decision: the proxy responds with ${describe(received)}` }
  // If it is a portal's, the engine has another base URL than this machine.
  const target = status >= 300 && status < 400 ? URL.parse(String(headers.location), 'http://-')?.origin : undefined
  const where = target === undefined || target === 'http://-' ? '' : ` to ${target}`
  return { verdict: 'allow', text: `allowed: the site responds with ${status}${where}` }
}

/** `ERR_DNS_FAIL`; empty for none. Where an access rule names it, its status is before it. */
function squidErrorOf({ headers }: Response): string {
  return /(?:^|:)(ERR_\w+)/.exec(String(headers['x-squid-error'] ?? ''))?.[1] ?? ''
}

/** The engine's response to a CONNECT that it stops. */
function isStop({ status, headers, tls }: Response): boolean {
  return status === 403 && headers['x-engine-instance'] !== undefined && tls === undefined
}

function pageOf(location: string, portal: URL): keyof typeof VERDICT_PATH | undefined {
  const page = URL.parse(location)
  if (page?.origin !== portal.origin) return undefined
  return (Object.keys(VERDICT_PATH) as (keyof typeof VERDICT_PATH)[]).find(
    (kind) => VERDICT_PATH[kind] === page.pathname,
  )
}
