// A whole gateway as it ships: the fixture's engine, Squid and sites, with a real portal behind the real terminator, all of them
// processes.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import type { MadeCertificate } from '../support/certificates.ts'
import { type Cleanup, inReverse } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { spawnPortal } from '../support/portal-process.ts'
import { accepts } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { skipWithoutNginx, startTerminator, type Terminator } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { type Gateway, PORTAL_HOST, skipWithoutGateway, startGateway } from './proxy.ts'
import { type Handler, makeSiteCa, makeSiteCertificate } from './sites.ts'

export const skipWithoutWholeGateway = skipWithoutGateway || skipWithoutNginx

export interface WholeGatewayPlan {
  /** The engine's policy, TOML. */
  readonly policy: string
  /** Names of sites. */
  readonly hosts: readonly string[]
  /** Names of sites that the policy exempts from inspection. */
  readonly exempt: readonly string[]
  /** HTML by URL, below a heading with the host's name. */
  readonly pages?: Readonly<Record<string, string>>
  /** Settings of the proxy, in addition to those that the gateway requires. */
  readonly settings?: (folder: string) => Readonly<Record<string, string>>
  /** Variables and Node's options of the portal, in addition. */
  readonly portal?: (folder: string) => {
    readonly variables: Readonly<Record<string, string>>
    readonly nodeOptions: readonly string[]
  }
}

export interface WholeGateway {
  readonly gateway: Gateway
  readonly portal: PortalProcess
  readonly terminator: Terminator
  /** The portal's. */
  readonly baseUrl: string
  readonly ledger: DatabaseLocation
  /** For files, readable by the proxy's user, too; removed at the end. */
  readonly folder: string
  /** The CA of the exempt sites. The proxy does not trust it: it cannot decrypt them. */
  readonly exemptCa: MadeCertificate
  /** The number of requests that have reached a host, with this method or any. */
  reached(host: string, method?: string): number
}

export interface PortalProcess {
  /** The running process. */
  readonly pid: number
  /** Where it listens, behind the terminator. */
  readonly port: number
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on the same port; resolves when it listens. */
  restart(): Promise<void>
}

/** Requires `skipWithoutWholeGateway` to be false. */
export async function startWholeGateway(test: Cleanup, plan: WholeGatewayPlan): Promise<WholeGateway> {
  const t = inReverse(test)
  const { policy, hosts, exempt, pages = {}, settings = () => ({}) } = plan
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o777)
  const ports = { http: await freePort(), https: await freePort() }
  const baseUrl = `https://${PORTAL_HOST}:${ports.https}`
  const exemptCa = makeSiteCa()
  const exemptCertificate = makeSiteCertificate(exemptCa, exempt)
  const names = [...hosts, ...exempt]
  const gateway = await startGateway(t, {
    sites: {
      names,
      handlers: Object.fromEntries(names.map((host) => [host, site(host, pages)])),
      certificates: Object.fromEntries(exempt.map((host) => [host, exemptCertificate])),
    },
    policy,
    published: 'engine',
    portal: ports,
    settings: settings(folder),
  })
  const { engine, sites } = gateway
  const ledger: DatabaseLocation = { dialect: 'sqlite', path: join(folder, 'portal.db') }
  const portalPort = await freePort()
  const { variables, nodeOptions } = plan.portal?.(folder) ?? {}
  const portal = await startPortal(t, join(folder, 'portal.log'), nodeOptions, {
    ...engine.portalVariables,
    GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
    GATEWAY_CAPTIVE_LISTEN_PORT: `${portalPort}`,
    GATEWAY_CAPTIVE_BASE_URL: baseUrl,
    GATEWAY_CAPTIVE_CA_PATH: engine.portalVariables.ENGINE_CA_FILE,
    GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${ledger.path}`,
    GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
    ...variables,
  })
  const terminator = await startTerminator(t, {
    portal: `127.0.0.1:${portalPort}`,
    leaf: join(engine.published, 'terminator'),
    ports,
    // All visitors have few addresses.
    settings: { TERMINATOR_UNLIMITED: '127.0.0.0/8' },
  })
  return {
    ...{ gateway, portal, terminator, baseUrl, ledger, folder, exemptCa },
    reached: (name, method) =>
      sites.received.filter(({ host, method: used }) => host === name && (method === undefined || method === used))
        .length,
  }
}

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16"/></svg>'
const LARGE = Buffer.alloc(300_000, 'x')

/** `/picture.svg` is an image, `/large` has 300,000 bytes, and everything else is a page; a body is read and not kept. */
function site(host: string, pages: Readonly<Record<string, string>>): Handler {
  return async (request, response) => {
    let bytes = 0
    try {
      for await (const chunk of request) bytes += chunk.length
    } catch {
      return
    }
    if (request.url === '/picture.svg') return response.setHeader('content-type', 'image/svg+xml').end(PICTURE)
    if (request.url === '/large') return response.setHeader('content-type', 'text/plain').end(LARGE)
    const page = pages[`https://${host}${request.url}`] ?? ''
    response.setHeader('content-type', 'text/html; charset=utf-8')
    return response.end(
      `<!doctype html><link rel="icon" href="data:,"><title>${host}</title><h1>You have reached ${host}</h1>` +
        `<p>${request.method}, ${bytes} bytes</p>${page}`,
    )
  }
}

async function startPortal(
  t: Cleanup,
  logFile: string,
  nodeOptions: readonly string[] = [],
  variables: Readonly<Record<string, string>>,
): Promise<PortalProcess> {
  let child: ChildProcess
  const port = Number(variables.GATEWAY_CAPTIVE_LISTEN_PORT)
  process.on('exit', () => child?.kill('SIGKILL'))
  async function restart(): Promise<void> {
    const log = openSync(logFile, 'a')
    child = spawnPortal(variables, { nodeOptions, stdio: ['ignore', log, log] })
    closeSync(log)
    await until(() => {
      if (child.exitCode !== null) throw new Error(`the portal exited: ${readFileSync(logFile, 'utf8')}`)
      return accepts(port)
    }, 30)
  }
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  await restart()
  return {
    get pid() {
      return child.pid as number
    },
    ...{ port, kill, restart },
  }
}
