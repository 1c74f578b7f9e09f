// Requests that only the engine responds to, whatever the policy: it refuses a name that no URL can have, because its last
// part is a number, with 400 and no content. Squid alone would look the name up, and respond with an error page.
import { randomBytes } from 'node:crypto'
import { type Finding, failing, ok } from '../doctor/finding.ts'
import { connectThrough, sendPlain } from '../doctor/proxy.ts'
import { type Response, send } from '../doctor/request.ts'
import type { Gateway } from './gateway.ts'

/** The response to one request, or why there is none. */
export type Seen = Response | Error

export interface Probe {
  /** Never used before: the proxy has no certificate for it in its cache. It does not exist (RFC 6761). */
  readonly host: string
  /** Over plain http. */
  readonly plain: Seen
  /** In a connection that the proxy decrypts. */
  readonly decrypted: Seen
}

export async function probe(gateway: Gateway): Promise<Probe> {
  const host = newName()
  const hostField = `${host}.0`
  const [plain, decrypted] = await Promise.all([
    attempt(sendPlain(gateway.proxy, { url: new URL(`http://${host}/`), target: `http://${hostField}/`, hostField })),
    attempt(sendDecrypted(gateway, host, hostField)),
  ])
  return { host, plain, decrypted }
}

export function newName(): string {
  return `gatewayctl-${randomBytes(6).toString('hex')}.invalid`
}

export function isFromEngine(seen: Seen): boolean {
  return (
    !(seen instanceof Error) &&
    seen.status === 400 &&
    seen.body.length === 0 &&
    seen.headers['cache-control'] === 'no-store'
  )
}

/** Squid's response when a required ICAP service fails. */
export function isOutage(seen: Seen): boolean {
  return !(seen instanceof Error) && seen.status === 500
}

async function sendDecrypted({ proxy, ownRoots }: Gateway, host: string, hostField: string): Promise<Response> {
  const { socket, status } = await connectThrough(proxy, `${host}:443`)
  if (socket === undefined) throw new Error(`${status} instead of 200 for CONNECT`)
  const roots = 'reason' in ownRoots ? [] : ownRoots
  return await send({ url: new URL(`https://${host}/`), socket, roots, hostField })
}

export async function attempt(request: Promise<Response>): Promise<Seen> {
  return await request.catch((error: Error) => error)
}

/** Whether the proxy requires a user, and this machine has no credentials. */
export function lacksUser({ proxy }: Gateway, plain: Seen): boolean {
  return !(plain instanceof Error) && plain.status === 407 && Object.keys(proxy.fields).length === 0
}

/** Why the proxy accepts no request of this machine as a user's; undefined if it does, or needs none. */
export function userFault(gateway: Gateway, plain: Seen): string | undefined {
  if (plain instanceof Error || plain.status !== 407) return undefined
  if (!lacksUser(gateway, plain)) return 'the proxy rejects these credentials'
  const schemes = plain.headers['proxy-authenticate']
  return schemes === undefined || /\bBasic\b/i.test(String(schemes)) ? NO_USER : NO_PASSWORDS
}

const NO_USER = '--credentials names a file with NAME:PASSWORD'
const NO_PASSWORDS = 'the proxy accepts no password: add Basic to the file of PROXY_AUTH for a user of gatewayctl'

/** `503 (ERR_DNS_FAIL)`, or why there is no response. */
export function describe(seen: Seen): string {
  if (seen instanceof Error) return seen.message
  const [squidError] = String(seen.headers['x-squid-error'] ?? '').split(' ')
  return squidError ? `${seen.status} (${squidError})` : String(seen.status)
}

/** Whether there is a proxy that serves this machine: without one, every other check would fail for the same reason. */
export function checkReached(gateway: Gateway, { plain, host }: Probe): Finding {
  const { name } = gateway
  const tried = `GET http://${host}.0/ through ${name}`
  const seen = describe(plain)
  if (plain instanceof Error) {
    const advice = `start the proxy; PROXY_LISTEN or --proxy names its address; make sure that it can resolve names: Squid waits for its DNS servers`
    return failing('proxy', tried, seen, advice)
  }
  if (plain.status === 407) {
    return lacksUser(gateway, plain)
      ? failing(
          'proxy',
          tried,
          '407: the proxy requires a user',
          `${userFault(gateway, plain) ?? NO_USER}; or add this machine’s address to PROXY_AUTH_EXCEPT`,
        )
      : failing(
          'proxy',
          tried,
          '407: the proxy rejects these credentials',
          'correct the NAME:PASSWORD of --credentials',
        )
  }
  if (plain.status === 403) {
    const advice = 'run this on a machine that the proxy serves, or add this machine’s address to PROXY_CLIENTS'
    return failing('proxy', tried, `${seen}: the proxy does not serve this machine`, advice)
  }
  return ok('proxy', tried, `${name} responds and serves this machine`)
}
