// With an explicit proxy, browsers have to reach the portal's host directly: otherwise the gateway inspects its own portal, or
// responds during the TLS handshake (the browser then reports a record that is too long).
import type { Environment } from '../../../settings/reading.ts'
import { type Finding, failing, ok, skipped } from '../../doctor/finding.ts'
import { authorization, type ForwardProxy, sendThrough } from '../../doctor/proxy.ts'
import { bareHost } from '../../doctor/request.ts'
import type { Deployment } from './deployment.ts'

export async function checkProxy({ address, requestSecure, roots }: Deployment, env: Environment): Promise<Finding> {
  const url = new URL('/healthz', address.baseUrl)
  const names = address.secure ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy']
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((candidate) => env[candidate])
  if (name === undefined) return skipped('proxy', `${names.join(', ')} in the environment`, 'no proxy is set here')
  const proxy = URL.parse(env[name] ?? '')
  const tried = `${url.origin} through the proxy of ${name}`
  if (proxy?.protocol !== 'http:') return skipped('proxy', tried, 'it is not an http:// address')
  if (isBypassed(url, env.no_proxy || env.NO_PROXY || '')) return ok('proxy', tried, 'no_proxy names the portal’s host')
  const advice = `configure browsers to reach ${bareHost(url)} without the proxy: "gatewayctl portal pac --proxy ${proxy.host}" prints a PAC file; for command-line tools add it to no_proxy`
  try {
    const through = await sendThrough(proxyOf(proxy), url, roots)
    if (through.headers['x-portal-version'] === undefined) {
      return failing('proxy', tried, `${through.status} from something that is not the portal`, advice)
    }
    const direct = await requestSecure('/healthz')
    const theirs = through.tls?.certificate
    if (theirs?.fingerprint256 !== direct.tls?.certificate.fingerprint256) {
      return failing(
        'proxy',
        tried,
        `the proxy inspects the portal: a certificate issued by ${theirs?.issuer.CN}`,
        advice,
      )
    }
    return ok('proxy', tried, 'the portal itself responds')
  } catch (error) {
    return failing('proxy', tried, (error as Error).message, advice)
  }
}

function proxyOf(url: URL): ForwardProxy {
  const { username, password } = url
  const credentials = username === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { host: bareHost(url), port: Number(url.port || 80), fields: authorization(credentials) }
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
