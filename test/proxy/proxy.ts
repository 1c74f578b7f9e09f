// The gateway as it ships: the engine's process, the proxy's with Squid, a portal's stand-in, web sites in a network namespace,
// and a client that speaks to the proxy.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { replaceFile } from '../support/certificates.ts'
import { type Cleanup, inReverse } from '../support/cleanup.ts'
import { type EngineProcess, ensureSecret, startEngineProcess } from '../support/engine-process.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { hasCommand, skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'
import { accepts } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { type Sites, type SitesOptions, startSites } from './sites.ts'

/** The root folder of another Debian, whose Squid runs in place of this machine's; undefined for this machine's. */
const SQUID_ROOT = process.env.TEST_SQUID_ROOT
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SHIPPED = join(ROOT, 'deploy', 'proxy')
const PROGRAM = join(ROOT, 'test', 'proxy', 'main.ts')
/** A user that is not in /etc/passwd, and the group to which the engine opens bump/. */
const [PROXY_USER, PROXY_GROUP] = [54_323, 54_321]
export const PORTAL_HOST = 'portal.example'

/** Squid's major and minor version as a number, such as 6.13; requires `skipWithoutGateway` to be false. */
export function squidVersion(): number {
  const root = SQUID_ROOT === undefined ? [] : ['chroot', SQUID_ROOT]
  const [program = '', ...words] = [...root, '/usr/sbin/squid', '-v']
  return Number(/Version (\d+\.\d+)/.exec(execFileSync(program, words).toString())?.[1])
}

export const skipWithoutSquid = skipUnless(
  ['/usr/sbin/squid', '/usr/local/sbin/squid'].some((path) => existsSync(path)) &&
    ['/usr/lib/squid', '/usr/lib64/squid', '/usr/libexec/squid'].some((path) =>
      existsSync(`${path}/security_file_certgen`),
    ),
  'needs Squid with OpenSSL: apt-get install squid-openssl',
)

/** For `startGateway`. */
export const skipWithoutGateway =
  skipWithoutSquid ||
  skipUnless(process.geteuid?.() === 0, 'needs root, for a network namespace') ||
  skipUnless(hasCommand('ip'), 'needs ip: apt-get install iproute2') ||
  skipWithoutOpenssl

/** The files that the engine publishes for the proxy in `proxy/`. */
export const PROXY_FILES = [
  ...(['portal-names', 'exempt-hosts', 'exempt-clients', 'internal'] as const),
  ...(['safesearch', 'youtube', 'tenants', 'ruled-hosts'] as const),
]
export type ProxyFile = (typeof PROXY_FILES)[number]

export interface GatewayOptions {
  readonly sites: SitesOptions
  /** The policy: rules and further sections. `default` and other keys of the top level first. Also by the sites' address. */
  readonly policy?: string | ((address: string) => string)
  /** Contents of `proxy/`, written here in place of the engine; others are empty, and some hosts ruled. `engine`: its own. */
  readonly published?: Readonly<Partial<Record<ProxyFile, string>>> | 'engine'
  /** Settings of the proxy that override the fixture's, also for a given engine. */
  readonly settings?: Readonly<Record<string, string>> | ((engine: Engine) => Readonly<Record<string, string>>)
  /** Variables of the engine. */
  readonly engineVariables?: Readonly<Record<string, string>>
  /** A further address that the proxy listens on, with the same port. */
  readonly listen?: string
  /** Whether the proxy follows this machine's addresses. */
  readonly followsAddresses?: boolean
  /** Directives for PROXY_INCLUDE. */
  readonly directives?: string
  /** Changes squid.conf. */
  readonly edit?: (shipped: string) => string
  /** The portal's http and https port on 127.0.0.1, in place of a stand-in, and its name in place of PORTAL_HOST. */
  readonly portal?: { readonly http: number; readonly https: number; readonly host?: string }
  /** How long it may take until the proxy listens; 60 by default. */
  readonly seconds?: number
  /** The user (and group) that runs the proxy; 0: root, with Squid's own user. */
  readonly user?: number
}

export interface Engine extends EngineProcess {
  /** URLs that it has been asked about by ICAP, oldest first, with the verdict and user. */
  decisions(): readonly Record<string, unknown>[]
  writePolicy(policy: string): void
}

export interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** That the TLS server sent, with its issuers; undefined for plain http. */
  readonly certificate?: DetailedPeerCertificate
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  /** The client's address, in 127.0.0.0/8. */
  readonly from?: string
  /** `name:password` for Basic authentication. */
  readonly user?: string
  /** What CONNECT names: `HOST:PORT`; the URL's by default. */
  readonly target?: string
  /** The name in the TLS handshake; the URL's by default. */
  readonly servername?: string
  /** CAs that the client trusts; the gateway's and the sites' by default. */
  readonly ca?: readonly string[]
}

export interface Gateway {
  readonly port: number
  readonly engine: Engine
  readonly sites: Sites
  readonly portal: { readonly http: number; readonly https: number }
  /** The certificate of the interception CA, in PEM. */
  readonly rootCa: () => string
  /** The proxy's process, the running one, and what it has written so far. */
  readonly start: ChildProcess
  readonly run: string
  log(): string
  /** The process id of Squid. */
  squidPid(): number
  /** Writes a file of `proxy/` as the engine does. */
  publish(name: ProxyFile, content: string): void
  /** Sends a request through the proxy, for https in a tunnel. @throws {Error} with the status of a refused CONNECT */
  request(url: string, options?: RequestOptions): Promise<Received>
  /** Only the CONNECT. */
  connect(
    target: string,
    options?: RequestOptions,
  ): Promise<{ readonly status: number; readonly socket: Socket; readonly body: string }>
  /** Stops it with TERM. @returns its exit status */
  stop(): Promise<number | null>
  /** Starts it again, once it has ended, on the same port; resolves when it listens. */
  restart(): Promise<void>
}

export async function startEngine(
  t: Cleanup,
  folder: string,
  policy: string,
  baseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Engine> {
  const bump = join(folder, 'published', 'bump')
  mkdirSync(bump, { recursive: true })
  chownSync(bump, 0, PROXY_GROUP)
  chmodSync(bump, 0o2750)
  const config = join(folder, 'policy.toml')
  const writePolicy = (content: string) => replaceFile(config, content)
  writePolicy(policy)
  const token = ensureSecret(folder, 'icap-token')
  // The proxy's user reads it, too.
  chmodSync(token, 0o644)
  const engine = await startEngineProcess(folder, { config, baseUrl, env, options: ['--icap-token-file', token] })
  t.after(() => engine.kill('SIGKILL'))
  await until(() => existsSync(join(bump, 'ca.pem')), 30)
  return {
    ...engine,
    get process() {
      return engine.process
    },
    get pid() {
      return engine.pid
    },
    writePolicy,
    decisions: () => engine.log().filter(({ door }) => door === 'icap'),
  }
}

export async function startGateway(test: Cleanup, options: GatewayOptions): Promise<Gateway> {
  const t = inReverse(test)
  const folder = temporaryFolder(t)
  const sites = await startSites(t, options.sites)
  const portalHost = options.portal?.host ?? PORTAL_HOST
  sites.resolve(portalHost, '127.0.0.1')
  const portalServer = createServer((incoming, response) => response.end(`the portal: ${incoming.url}`))
  // Nothing listens on its http port.
  const portal = options.portal ?? { http: await freePort(), https: await listen(t, portalServer) }
  const { policy = 'default = "allow"\n' } = options
  const engine = await startEngine(
    t,
    folder,
    typeof policy === 'string' ? policy : policy(sites.address),
    `https://${portalHost}:${portal.https}`,
    options.engineVariables,
  )
  const leaf = (name: string) => readFileSync(join(engine.published, 'terminator', name))
  portalServer.setSecureContext({ cert: leaf('portal.crt'), key: leaf('portal.key') })

  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  let published = engine.published
  const { user = PROXY_USER } = options
  const isWrittenHere = options.published !== 'engine'
  if (isWrittenHere) {
    published = join(folder, 'for-the-proxy')
    mkdirSync(join(published, 'proxy'), { recursive: true })
    // Only bump/ is the engine's.
    symlinkSync(join(engine.published, 'bump'), join(published, 'bump'))
    for (const name of PROXY_FILES) {
      const content = options.published?.[name] ?? (name === 'ruled-hosts' ? 'some\n' : '')
      writeFileSync(join(published, 'proxy', name), content)
    }
  }
  const port = await freePort()
  const run = join(folder, 'run')
  mkdirSync(run)
  chownSync(run, user, user === 0 ? 0 : PROXY_GROUP)
  const shipped = join(folder, 'gateway')
  cpSync(SHIPPED, shipped, { recursive: true })
  if (options.edit) {
    const path = join(shipped, 'squid.conf')
    const before = readFileSync(path, 'utf8')
    const after = options.edit(before)
    assert.notEqual(after, before)
    writeFileSync(path, after)
  }
  const environment = {
    NODE_COMPILE_CACHE: compileCache(user),
    PATH: process.env.PATH,
    PROXY_LISTEN: ['127.0.0.1', ...(options.listen === undefined ? [] : [options.listen])]
      .map((address) => `${address}:${port}`)
      .join(' '),
    PROXY_CLIENTS: '127.0.0.0/24',
    PROXY_PORTAL: `https://${portalHost}:${portal.https}`,
    PROXY_PORTAL_PORTS: `${portal.http} ${portal.https}`,
    PROXY_ICAP: `icap://127.0.0.1:${engine.icapPort}/reqmod`,
    PROXY_ICAP_TOKEN_FILE: join(folder, 'icap-token'),
    PROXY_PUBLISHED: published,
    PROXY_RUN: run,
    PROXY_ORIGIN_CA: file('origin-ca.pem', sites.ca.certificate),
    PROXY_INCLUDE: file('include.conf', `dns_nameservers ${sites.nameserver}\n${options.directives ?? ''}\n`),
    ...(typeof options.settings === 'function' ? options.settings(engine) : options.settings),
  }
  let child: ChildProcess
  let closed: Promise<unknown>
  let log = ''
  const restart = async () => {
    // Another gateway of the same test file gives addresses to this machine, and Squid refuses connections while it reads its
    // configuration.
    const started = spawnAs(user, [PROGRAM, shipped, options.followsAddresses ? 'follow' : 'ignore'], {
      env: environment,
      // A group, so that Squid ends with a proxy that is killed.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    for (const stream of [started.stdout, started.stderr] as readonly Readable[]) {
      stream.on('data', (chunk) => {
        log += chunk
      })
    }
    closed = once(started, 'close')
    await until(async () => started.exitCode !== null || (await accepts(port)), options.seconds ?? 60, 50).catch(() => {
      throw new Error(`the proxy does not listen:\n${log}`)
    })
    assert.equal(started.exitCode, null, `the proxy does not start:\n${log}`)
  }
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    const fallback = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), 15_000)
    await closed
    clearTimeout(fallback)
    return child.exitCode
  }
  t.after(stop)
  await restart()

  const rootCa = () => readFileSync(join(engine.published, 'ca/ca.crt'), 'utf8')
  const authorization = ({ user: credentials }: RequestOptions) =>
    credentials === undefined ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }

  const connectThrough: Gateway['connect'] = async (target, sent = {}) => {
    const { from: localAddress = '127.0.0.1' } = sent
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    await once(socket, 'connect')
    // Also after the CONNECT, when nobody waits for anything.
    socket.on('error', () => {})
    const closed = Object.assign(new Error(`CONNECT ${target}: closed`), { code: 'ECONNRESET' })
    const ended = once(socket, 'close').then(() => Promise.reject(closed))
    ended.catch(() => {})
    const headers = Object.entries({ host: target, ...authorization(sent) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.write(`CONNECT ${target} HTTP/1.1\r\n${headers.join('')}\r\n`)
    let head = ''
    while (!head.includes('\r\n\r\n')) {
      const data = once(socket, 'data', { signal: AbortSignal.timeout(20_000) })
      const [chunk] = await Promise.race([data, ended])
      head += chunk.toString('latin1')
    }
    socket.pause()
    return { status: Number(head.split(' ')[1]), socket, body: head }
  }

  return {
    ...{ port, engine, sites, portal, rootCa, run, connect: connectThrough, stop, restart },
    get start() {
      return child
    },
    log: () => log,
    squidPid: () => Number(readFileSync(join(run, 'squid.pid'), 'utf8')),
    publish(name, content) {
      assert.ok(isWrittenHere)
      replaceFile(join(published, 'proxy', name), content)
    },
    async request(url, sent = {}) {
      const { protocol, hostname, port: urlPort, host, pathname, search } = new URL(url)
      const { method = 'GET', body, from: localAddress = '127.0.0.1' } = sent
      let options: object = { host: '127.0.0.1', port, localAddress, path: url, agent: false }
      let tls: TLSSocket | undefined
      if (protocol === 'https:') {
        const target = sent.target ?? `${hostname}:${urlPort === '' ? 443 : urlPort}`
        const tunnel = await connectThrough(target, sent)
        if (tunnel.status !== 200) {
          tunnel.socket.destroy()
          throw Object.assign(new Error(`CONNECT ${target}: ${tunnel.status}`), { status: tunnel.status })
        }
        const ca = sent.ca ?? [rootCa(), sites.ca.certificate]
        tls = connectTls({ socket: tunnel.socket, servername: sent.servername ?? hostname, ca: [...ca] })
        await once(tls, 'secureConnect', { signal: AbortSignal.timeout(20_000) })
        const connection = tls
        options = { createConnection: () => connection, path: `${pathname}${search}` }
      }
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const headers = { host, ...(tls === undefined && authorization(sent)), ...length, ...sent.headers }
      const outgoing = request({ ...options, method, headers, timeout: 20_000 })
      outgoing.end(body)
      const [response] = await once(outgoing, 'response', { signal: AbortSignal.timeout(30_000) })
      const text = (await buffer(response)).toString()
      const certificate = tls?.getPeerCertificate(true)
      tls?.destroy()
      return { status: response.statusCode, headers: response.headers, body: text, ...(certificate && { certificate }) }
    },
  }
}

/** In the other root, this repository and this Node have the same paths. */
const IN_SQUID_ROOT = `root=$1 user=$2 repository=$3; shift 3
for folder in /tmp /dev /proc "$repository" "$(dirname "$1")"; do
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
exec chroot --userspec="$user" "$root" "$@"`

/** Compiling is most of the start, and other users cannot write where this process does. @returns a folder of the user */
function compileCache(user: number): string {
  const folder = join(ROOT, 'node_modules', '.cache', `compiled-${user}`)
  mkdirSync(folder, { recursive: true })
  chownSync(folder, user, 0)
  return folder
}

/** Starts this Node as a user. */
function spawnAs(user: number, words: readonly string[], options: SpawnOptions): ChildProcess {
  const group = user === 0 ? 0 : PROXY_GROUP
  if (SQUID_ROOT === undefined) return spawn(process.execPath, words, { ...options, uid: user, gid: group })
  const inRoot = [SQUID_ROOT, `${user}:${group}`, ROOT, process.execPath, ...words]
  return spawn('unshare', ['--mount', 'sh', '-ec', IN_SQUID_ROOT, 'sh', ...inRoot], options)
}
