// Clocks: certificates are signed by the proxy's, verdicts are valid by those of engine and portal.
import { clockDifference, clockFinding } from '../doctor/clock-difference.ts'
import { type Finding, failing, skipped } from '../doctor/finding.ts'
import { sendPlain } from '../doctor/proxy.ts'
import { type Response, send } from '../doctor/request.ts'
import type { Gateway } from './gateway.ts'
import { newName } from './probe.ts'

export async function checkClocks(gateway: Gateway, clock: () => number): Promise<readonly Finding[]> {
  const { proxy, name, portal, roots, engine } = gateway
  const hostField = `${newName()}.0`
  const target = `http://${hostField}/`
  const health = new URL('/healthz', portal)
  const servers: readonly (readonly [string, string, () => Promise<Response>])[] = [
    ['clock-proxy', name, () => sendPlain(proxy, { url: new URL(`http://${name}/`), target, hostField })],
    ['clock-portal', health.href, () => send({ url: health, roots })],
    ...('reason' in engine
      ? []
      : ([
          [
            'clock-engine',
            engine.url.origin,
            () => send({ url: new URL('/healthz', engine.url), roots: engine.roots }),
          ],
        ] as const)),
  ]
  const findings = await Promise.all(
    servers.map(async ([check, server, request]) => {
      const tried = `the Date of ${server}, compared with this machine’s clock`
      try {
        return clockFinding(check, tried, await clockDifference(request, clock))
      } catch (error) {
        return failing(check, tried, (error as Error).message, `make ${server} reachable from here`)
      }
    }),
  )
  return 'reason' in engine ? [...findings, skipped('clock-engine', 'the engine’s clock', engine.reason)] : findings
}
