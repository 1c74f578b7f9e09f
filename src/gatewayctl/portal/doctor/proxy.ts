// With an explicit proxy, browsers have to reach the portal's host directly: otherwise the gateway inspects its own portal, or
// responds during the TLS handshake (the browser then reports a record that is too long).
import { request } from 'node:http'
import type { Socket } from 'node:net'
import type { Environment } from '../../../config/reading.ts'
import type { Deployment } from './deployment.ts'
import { bad, type Finding, good, skipped } from './finding.ts'
import { bareHost, type Response, send } from './request.ts'

const TIMEOUT_MS = 10_000

export async function checkProxy({ address, requestSecure, roots }: Deployment, env: Environment): Promise<Finding> {
  const url = new URL('/healthz', address.baseUrl)
  const names = address.secure ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy']
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((candidate) => env[candidate])
  if (name === undefined) return skipped('proxy', `${names.join(', ')} in the environment`, 'no proxy is set here')
  const proxy = URL.parse(env[name] ?? '')
  const tried = `${url.origin} through the proxy of ${name}`
  if (proxy?.protocol !== 'http:') return skipped('proxy', tried, 'it is not an http:// address')
  if (isBypassed(url, env.no_proxy || env.NO_PROXY || ''))
    return good('proxy', tried, 'no_proxy names the portal’s host')
  const advice = `let browsers reach ${bareHost(url)} without the proxy: "gatewayctl portal pac --proxy ${proxy.host}" prints a PAC file; for command-line tools add it to no_proxy`
  try {
    const through = await requestThrough(proxy, url, roots)
    if (through.headers['x-portal-version'] === undefined) {
      return bad('proxy', tried, `${through.status} from something that is not the portal`, advice)
    }
    const direct = await requestSecure('/healthz')
    const theirs = through.tls?.certificate
    if (theirs?.fingerprint256 !== direct.tls?.certificate.fingerprint256) {
      return bad('proxy', tried, `the proxy inspects the portal: a certificate issued by ${theirs?.issuer.CN}`, advice)
    }
    return good('proxy', tried, 'the portal itself responds')
  } catch (error) {
    return bad('proxy', tried, (error as Error).message, advice)
  }
}

async function requestThrough(proxy: URL, url: URL, roots: readonly string[]): Promise<Response> {
  if (url.protocol === 'https:') return await send({ url, socket: await tunnel(proxy, url), roots })
  return await send({
    url,
    connect: { host: bareHost(proxy), port: Number(proxy.port || 80) },
    through: authorization(proxy),
  })
}

/** @throws {Error} when the proxy refuses the tunnel */
function tunnel(proxy: URL, url: URL): Promise<Socket> {
  const authority = `${url.hostname}:${url.port || 443}`
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: bareHost(proxy),
      port: proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...authorization(proxy) },
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    outgoing.on('connect', (response, socket: Socket, head: Buffer) => {
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
        return
      }
      socket.destroy()
      reject(new Error(`the proxy responds to CONNECT with ${response.statusCode}`))
    })
    outgoing.on('response', (response) => {
      response.resume()
      reject(new Error(`the proxy responds to CONNECT with ${response.statusCode}`))
    })
    outgoing.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      reject(new Error(`no response from the proxy: ${code ?? message}`))
    })
    outgoing.end()
  })
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** curl's rules for no_proxy: names with their subdomains, `*`, each with or without a port. */
function isBypassed(url: URL, list: string): boolean {
  const host = bareHost(url).toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = entry, only = port] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? []
      const bare = name.replace(/^\[(.*)\]$/, '$1').replace(/^\./, '')
      return bare !== '' && only === port && (bare === '*' || host === bare || host.endsWith(`.${bare}`))
    })
}
