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
  return { causes }
}
