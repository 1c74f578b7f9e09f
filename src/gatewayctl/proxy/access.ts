// What the access rules must deny to everybody. Squid is on the inner network: what it may reach, strangers reach through it.
import { rangeText } from '../../network/address-range.ts'
import { type Finding, verdictOn } from '../doctor/finding.ts'
import { connectThrough, sendPlain } from '../doctor/proxy.ts'
import { send } from '../doctor/request.ts'
import type { Gateway } from './gateway.ts'
import { attempt, describe, newName, type Seen } from './probe.ts'

/** Of `[gateway] internal`; the first address of each is tried. */
const MAXIMUM_NETWORKS = 20
const RULES = 'keep the order of http_access in deploy/proxy/squid.conf, and restart Squid'

export async function checkLocalAddresses({ proxy, name, portal, published }: Gateway): Promise<Finding> {
  const internal = 'reason' in published.internal ? [] : published.internal.slice(0, MAXIMUM_NETWORKS)
  const networks = internal.map((network) => rangeText(network).replace(/\/\d+$/, ''))
  const hosts = ['localhost', '127.0.0.1', '::1', '169.254.169.254', ...networks]
    .map((host) => (host.includes(':') ? `[${host}]` : host))
    .filter((host) => host !== portal.hostname)
  const tried = `http and https to ${hosts.join(', ')} through ${name}`
  const faults = await Promise.all(
    hosts.flatMap((host) => [plainFault(proxy, `http://${host}/`), connectFault(proxy, `${host}:443`)]),
  )
  const unknown =
    'reason' in published.internal ? `; internal networks were not tried: ${published.internal.reason}` : ''
  return verdictOn('denies-local', tried, faults.flat(), {
    detail: `403: loopback, link-local and ${networks.length} internal networks are denied${unknown}`,
    advice: `deny loopback, link-local, the proxy’s own addresses and proxy/internal before any http_access allow but the portal’s, each list in a separate acl: Squid ignores a network that overlaps an entry before it; ${RULES}`,
  })
}

export async function checkManager({ proxy, name }: Gateway): Promise<Finding> {
  const targets = [
    `http://${name}/squid-internal-mgr/menu`,
    'cache_object://localhost/menu',
    '/squid-internal-mgr/menu',
  ]
  const tried = `the cache manager through ${name}: ${targets.join(', ')}`
  const faults = await Promise.all(
    targets.map(async (target) => {
      const seen = await attempt(sendPlain(proxy, { url: new URL(`http://${name}/`), target }))
      // Versions without cache_object reject it as invalid.
      return isDenied(seen) || (!(seen instanceof Error) && [400, 404].includes(seen.status))
        ? []
        : [fault(target, seen)]
    }),
  )
  return verdictOn('denies-manager', tried, faults.flat(), {
    detail: 'no response has its content',
    advice: `deny the cache manager to everybody (http_access deny manager): ${RULES}`,
  })
}

export async function checkPorts({ proxy, name }: Gateway): Promise<Finding> {
  const host = newName()
  const plain = [`http://${host}:22/`, `http://${host}:25/`, `ftp://${host}/`]
  const tunnels = [`${host}:22`, `${host}:25`, `${host}:80`]
  const tried = `GET ${plain.join(', ')} and CONNECT ${tunnels.join(', ')} through ${name}`
  const faults = await Promise.all([
    ...plain.map((target) => plainFault(proxy, target)),
    ...tunnels.map((authority) => connectFault(proxy, authority)),
  ])
  return verdictOn('denies-ports', tried, faults.flat(), {
    detail: '403: unusual ports, other schemes, and CONNECT to ports without https are denied',
    advice: `deny CONNECT except to ports of https, unsafe ports, and schemes other than http and https: ${RULES}`,
  })
}

async function plainFault(proxy: Gateway['proxy'], target: string): Promise<readonly string[]> {
  const url = new URL(target.replace(/^ftp:/, 'http:'))
  const seen = await attempt(sendPlain(proxy, { url, target }))
  return isDenied(seen) ? [] : [fault(target, seen)]
}

/** Squid decrypts a denied tunnel, to show its error page in it. */
async function connectFault(proxy: Gateway['proxy'], authority: string): Promise<readonly string[]> {
  const what = `CONNECT ${authority}`
  try {
    const { socket, status } = await connectThrough(proxy, authority)
    if (socket === undefined) return status === 403 ? [] : [`${what}: ${status} instead of 403`]
    const seen = await attempt(send({ url: new URL(`https://${authority}/`), socket, roots: [] }))
    if (isDenied(seen)) return []
    return [seen instanceof Error ? `${what}: a tunnel instead of 403` : fault(what, seen)]
  } catch (error) {
    return [`${what}: ${(error as Error).message}`]
  }
}

const isDenied = (seen: Seen) => !(seen instanceof Error) && seen.status === 403

const fault = (what: string, seen: Seen) =>
  `${what}: ${describe(seen)}${seen instanceof Error ? '' : ' instead of 403'}`
