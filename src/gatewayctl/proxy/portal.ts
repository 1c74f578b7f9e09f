// Browsers that bypass the proxy for the portal, and those that are not configured to, must reach the same portal.

import { type Finding, verdictOn } from '../doctor/finding.ts'
import { sendThrough } from '../doctor/proxy.ts'
import { send } from '../doctor/request.ts'
import type { Gateway } from './gateway.ts'
import { attempt, type Seen } from './probe.ts'

export async function checkPortal({ proxy, name, portal, plainPortal, roots }: Gateway): Promise<Finding> {
  const health = new URL('/healthz', portal)
  const tried = `GET ${health.href}${plainPortal === undefined ? '' : ` and ${plainPortal.origin}/ca`}, directly and through ${name}`
  const [direct, through] = await Promise.all([
    attempt(send({ url: health, roots })),
    attempt(sendThrough(proxy, health, roots)),
  ])
  const faults = [...faultsOf('directly', direct), ...faultsOf('through the proxy', through)]
  if (!(direct instanceof Error) && !(through instanceof Error)) {
    const [own, seen] = [direct.tls?.certificate, through.tls?.certificate]
    if (own?.fingerprint256 !== seen?.fingerprint256) {
      faults.push(`the proxy decrypts it: a certificate issued by ${seen?.issuer.CN} instead of ${own?.issuer.CN}`)
    }
  }
  if (plainPortal !== undefined) faults.push(...(await plainFaults(new URL('/ca', plainPortal), proxy, roots)))
  return verdictOn('portal', tried, faults, {
    detail: 'the portal itself responds both ways, with the same certificate',
    advice:
      'set PROXY_PORTAL and PROXY_PORTAL_PORTS to match GATEWAY_CAPTIVE_BASE_URL, configure the proxy to resolve the portal’s name (PROXY_HOSTS), and see gatewayctl portal doctor for what fails directly',
  })
}

/** Devices that do not trust the CA yet get it there. */
async function plainFaults(url: URL, proxy: Gateway['proxy'], roots: readonly string[]): Promise<readonly string[]> {
  const [direct, through] = await Promise.all([attempt(send({ url })), attempt(sendThrough(proxy, url, roots))])
  if (direct instanceof Error) return [`directly: ${direct.message}`]
  if (through instanceof Error) return [`through the proxy: ${through.message}`]
  return direct.status === through.status
    ? []
    : [`${url.href}: ${through.status} through the proxy instead of ${direct.status}`]
}

function faultsOf(way: string, seen: Seen): string[] {
  if (seen instanceof Error) return [`${way}: ${seen.message}`]
  return [
    ...(seen.tls?.fault === undefined ? [] : [`${way}: ${seen.tls.fault}`]),
    ...(seen.headers['x-portal-version'] === undefined
      ? [`${way}: ${seen.status} from something that is not the portal`]
      : seen.status === 200
        ? []
        : [`${way}: ${seen.status} instead of 200`]),
  ]
}
