// The shipped gateway with a real portal, and gatewayctl's variables for it.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Finding } from '../../src/gatewayctl/doctor/finding.ts'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { type GatewayOptions, startGateway } from '../../test/proxy/proxy.ts'
import { makeServed } from '../../test/support/certificates.ts'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startPortal } from '../../test/support/portal.ts'
import { startSmallTerminator } from '../../test/support/small-terminator.ts'

export const EXEMPT = 'bank.example'
export const UNTRUSTED = 'untrusted.example'
export const STOPPED = 'http://casino.example/'

const POLICY = `
[[rules]]
name = "casino"
match = ["casino.example"]
action = "block"
`

export async function startExamined(
  t: Cleanup,
  options: Partial<Pick<GatewayOptions, 'edit' | 'settings' | 'sites' | 'policy' | 'published'>> = {},
) {
  const [http, https] = [await freePort(), await freePort()]
  const portal = `https://localhost:${https}`
  const gateway = await startGateway(t, {
    sites: { names: [EXEMPT, UNTRUSTED], certificates: { [UNTRUSTED]: makeServed(UNTRUSTED).leaf } },
    policy: POLICY,
    published: { 'exempt-hosts': `.${EXEMPT}\n.${new URL(STOPPED).hostname}\n`, internal: '10.77.0.0/16\n' },
    portal: { host: 'localhost', http, https },
    // Nothing is in flight when a test ends it.
    directives: 'shutdown_lifetime 0 seconds',
    ...options,
  })
  const { engine, port, run } = gateway
  const folder = dirname(engine.published)
  const file = (...names: readonly string[]) => readFileSync(join(folder, ...names), 'utf8')
  const GATEWAY_CAPTIVE_SHARED_SECRET = file('secret')
  const running = await startPortal(t, { env: { GATEWAY_CAPTIVE_BASE_URL: portal, GATEWAY_CAPTIVE_SHARED_SECRET } })
  running.setTime(Date.now() / 1000)
  const [certificate = '', key = ''] = ['crt', 'key'].map((end) => file('published', 'terminator', `portal.${end}`))
  const terminator = await startSmallTerminator(running.port, { certificate, key }, { http, https })
  t.after(async () => terminator.close())
  return {
    ...gateway,
    /** What names it to gatewayctl. */
    env: {
      PROXY_LISTEN: `127.0.0.1:${port}`,
      PROXY_PORTAL: portal,
      PROXY_PORTAL_PORTS: `${http} ${https}`,
      // The proxy's folder has no CA certificate in it.
      PROXY_PUBLISHED: join(folder, 'for-the-proxy'),
      PROXY_RUN: run,
      GATEWAY_CAPTIVE_CA_PATH: join(engine.published, 'ca', 'ca.crt'),
      GATEWAY_CAPTIVE_SHARED_SECRET,
    },
    options: ['--engine', engine.url, '--token-file', engine.portalVariables.ENGINE_API_TOKEN_FILE],
  }
}

interface Examination {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: () => number
}

interface Examined {
  readonly env: Readonly<Record<string, string>>
  readonly options: readonly string[]
}

/** Runs `gatewayctl proxy doctor`. */
export async function examine({ env, options }: Examined, { args = [], env: further, clock }: Examination = {}) {
  const { status, stdout, stderr } = await gatewayctl(['proxy', 'doctor', '--json', ...options, ...args], {
    env: { ...env, ...further },
    ...(clock !== undefined && { clock }),
  })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Finding[] }
  const of = (name: string) => findings.find(({ check }) => check === name) ?? { detail: 'nothing', advice: 'nothing' }
  const inState = (wanted: Finding['state']) =>
    findings.filter(({ state }) => state === wanted).map(({ check }) => check)
  return {
    ...{ ok, status, stderr, findings },
    checks: findings.map(({ check }) => check),
    failing: inState('failing'),
    skipped: inState('skipped'),
    detail: (name: string) => of(name).detail,
    advice: (name: string) => of(name).advice ?? 'none',
  }
}
