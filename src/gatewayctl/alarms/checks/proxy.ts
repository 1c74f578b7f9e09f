// The proxy: whether it responds, has the engine decide, and signs with a CA that lasts.
import { portalVariables } from '../../deployment/portal-variables.ts'
import { runNamed } from '../../proxy/checks.ts'
import { describeGateway } from '../../proxy/gateway.ts'
import { isOutage, probe } from '../../proxy/probe.ts'
import { type Cause, type Checked, harmless } from '../cause.ts'
import { unitName } from './services.ts'
import type { Surroundings } from './surroundings.ts'
import { isExpected } from './units.ts'

export async function checkProxy({ context, units, proxy, remedyFor }: Surroundings): Promise<Checked> {
  const { PROXY_CLIENTS } = portalVariables(context.env, 'proxy')
  const isHere = isExpected(units, unitName('proxy')) ?? Boolean(PROXY_CLIENTS?.trim())
  if (!isHere) return { causes: [] }
  const gateway = await describeGateway(context, { ...(proxy && { proxy }) })
  const seen = await probe(gateway)
  // A proxy that serves others only, or requires a user, responds, too.
  if (seen.plain instanceof Error) {
    const summary = `The proxy does not respond: ${harmless(seen.plain.message)}`
    return { causes: [{ id: 'proxy', summary, remedy: remedyFor('proxy') }], unknown: ['certificate', 'proxy-engine'] }
  }
  const findings = await runNamed(['proxy-ca'], gateway, seen, { ...context, options: {} })
  const causes: Cause[] = findings
    .filter(({ state }) => state === 'failing')
    .map(({ detail }) => ({
      id: 'certificate:proxy',
      summary: `The CA that the proxy signs with is not renewed: ${harmless(detail)}`,
      remedy: 'gatewayctl proxy doctor; journalctl -u gateway-engine -n 30',
    }))
  if (isOutage(seen.plain)) {
    const summary = 'The proxy gets no decision from the engine: every request is denied'
    causes.push({ id: 'proxy-engine', summary, remedy: `gatewayctl proxy doctor; ${remedyFor('engine')}` })
  }
  if (![403, 407].includes(seen.plain.status)) return { causes }
  const unchecked = uncheckedCause(seen.plain.status, proxy === undefined ? gateway.proxy.host : undefined)
  return { causes: [...causes, ...unchecked], unknown: ['proxy-engine'] }
}

/**
 * Squid denies a stranger, and a client without a user, before it requests a decision.
 * @param address from which this machine's proxy is reached; undefined for a proxy elsewhere
 */
function uncheckedCause(status: number, address: string | undefined): readonly Cause[] {
  const cause = (why: string, remedy: string) => ({
    id: 'unchecked:proxy-engine',
    summary: `Whether the proxy gets decisions from the engine cannot be checked: ${why}`,
    remedy: `${remedy}; systemctl restart gateway-proxy`,
  })
  const client = address ?? 'the watcher'
  if (status === 407) {
    return [
      cause(
        `it requires a user of ${client} (407)`,
        `set PROXY_AUTH_EXCEPT="${address ?? 'ADDRESS'}" in the proxy's settings, with the networks that it has`,
      ),
    ]
  }
  // That of a container is none that may use the proxy.
  if (address === undefined) return []
  return [cause(`it does not serve ${client} (403)`, `add ${address} to PROXY_CLIENTS in the proxy's settings`)]
}
