// The proxy that is shipped, as the demo runs it: in front of the sample sites.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Origins, startOrigins } from './origins.ts'
import { isListening } from './ports.ts'
import type { Programs } from './programs.ts'
import { runFolder, squidUser } from './squid-user.ts'

const PROGRAM = fileURLToPath(new URL('../src/proxy/main.ts', import.meta.url))

export interface ProxyPlan {
  readonly programs: Programs
  /** Closes the sample sites when the demo ends. */
  readonly onStop: (close: () => void) => unknown
  /** The demo's folder. */
  readonly folder: string
  /** The folder that the engine publishes to. */
  readonly published: string
  /** The portal's addresses. */
  readonly portal: { readonly plainUrl: string; readonly url: string }
  readonly port: number
  /** The engine's ICAP listener, `HOST:PORT`, and the file with its token. */
  readonly icap: string
  readonly icapTokenFile: string
  /** The address of the list of sites. */
  readonly list: string
  /** Variables for its pages. */
  readonly look: Readonly<Record<string, string>>
}

/**
 * Starts the sites and the proxy.
 * @returns what a browser behind it has to trust, PEM: the proxy's CA; the portal's leaf; that of the site that is not
 * decrypted. Each is sent in a handshake, which the interception CA is not.
 */
export async function startProxy(plan: ProxyPlan): Promise<readonly string[]> {
  const { programs, published, portal, port } = plan
  const run = runFolder(plan.folder)
  const origins = await startOrigins(plan.list)
  plan.onStop(origins.close)
  const write = (name: string, content: string) => {
    const path = join(run, name)
    writeFileSync(path, content)
    chmodSync(path, 0o644)
    return path
  }
  const address = `127.0.0.1:${port}`
  await programs.start('proxy', [process.execPath, PROGRAM], {
    env: {
      PATH: process.env.PATH,
      PROXY_LISTEN: address,
      PROXY_CLIENTS: '127.0.0.1/32',
      PROXY_PORTAL: portal.url,
      PROXY_PORTAL_PORTS: `${new URL(portal.plainUrl).port} ${new URL(portal.url).port}`,
      PROXY_ICAP: `icap://${plan.icap}/reqmod`,
      PROXY_ICAP_TOKEN_FILE: plan.icapTokenFile,
      PROXY_PUBLISHED: published,
      PROXY_RUN: run,
      PROXY_ORIGIN_CA: write('sites-ca.crt', origins.ca),
      PROXY_HOSTS: write('sites-hosts', hostsFile(origins)),
      PROXY_INCLUDE: write('parent.conf', parentDirectives(origins)),
      ...plan.look,
    },
    up: (isOver) => isListening(port, isOver).then(() => address),
    user: squidUser,
  })
  const read = (path: string) => readFileSync(join(published, path), 'utf8')
  return [certificateIn(read('bump/ca.pem')), read('terminator/portal.crt'), origins.exemptCertificate]
}

/** Squid reaches the sites through an upstream proxy, the portal directly, and nothing else. */
function parentDirectives({ parent, hosts }: Origins): string {
  const [host, port] = parent.split(':')
  return `acl sample_sites dstdomain -n ${hosts.join(' ')}
cache_peer ${host} parent ${port} 0 no-query no-digest default
cache_peer_access ${host} allow sample_sites
always_direct allow portal
never_direct allow all
`
}

/** Addresses reserved for documentation: nothing connects to them, but Squid's rules check the address of every name. */
function hostsFile({ hosts }: Origins): string {
  return hosts.map((host) => `192.0.2.1 ${host}\n`).join('')
}

/** The file also has the key. */
function certificateIn(pem: string): string {
  return pem.slice(pem.indexOf('-----BEGIN CERTIFICATE-----'))
}
