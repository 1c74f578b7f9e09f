// The proxies: the shipped gateway, and the usual ways to make a proxy decide by a list of names. Debian's packages, with
// only this run's files, and all processes on one core.
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Server, type ServerPlan, startServer } from '../../test/support/servers.ts'
import { writeList } from '../engine/list.ts'
import { configureE2guardian, type E2guardianMode, hasE2guardian } from './e2guardian.ts'
import { fillIn, findProgram } from './programs.ts'
import { type ProxyList, type Settings, START_SECONDS, type StartedProxy } from './proxy.ts'
import {
  ALONE,
  C_ICAP,
  E2GUARDIAN,
  E2GUARDIAN_ICAP,
  EVERY_HOST_RULED,
  OURS,
  SQUIDGUARD,
  WITHOUT_ENGINE,
} from './result.ts'
import { RULE_FOR_EVERY_HOST, startShipped, startWithoutEngine } from './shipped.ts'

interface ProxyKind {
  readonly name: string
  /** Debian's. */
  readonly packages: string
  readonly isInstalled: () => boolean
  /** @param started those before it */
  readonly start: (
    settings: Settings,
    folder: string,
    started: readonly StartedProxy[],
  ) => Promise<Omit<StartedProxy, 'name'>>
}

const TEMPLATES = new URL('peers/', import.meta.url)
const URL_CHECK = '/usr/lib/*/c_icap/srv_url_check.so'

const SQUID = /^squid$/
const [SQUID_GUARD, C_ICAP_SERVER] = [/^squidGuard$/, /^c-icap$/]
const hasSquid = () => findProgram(SQUID) !== undefined

export const PROXIES: readonly ProxyKind[] = [
  {
    name: OURS,
    packages: 'squid-openssl',
    isInstalled: hasSquid,
    start: (settings, folder) => startShipped(settings, folder, OURS),
  },
  {
    name: EVERY_HOST_RULED,
    packages: 'squid-openssl',
    isInstalled: hasSquid,
    start: (settings, folder) => startShipped(settings, folder, EVERY_HOST_RULED, RULE_FOR_EVERY_HOST),
  },
  {
    name: WITHOUT_ENGINE,
    packages: 'squid-openssl',
    isInstalled: hasSquid,
    async start(settings, folder, started) {
      const ours = started.find(({ name }) => name === OURS) as StartedProxy
      const squid = await startWithoutEngine(settings, folder, WITHOUT_ENGINE, ours.configuration as string)
      return { servers: [squid], ca: ours.ca, list: undefined }
    },
  },
  {
    name: ALONE,
    packages: 'squid-openssl',
    isInstalled: hasSquid,
    async start(settings, folder) {
      const squid = await startSquid(settings, folder, this.name, [])
      return { servers: [squid], ca: settings.ca.certificate, list: undefined }
    },
  },
  {
    name: 'Squid with its own list, `dstdomain`',
    packages: 'squid-openssl',
    isInstalled: hasSquid,
    async start(settings, folder) {
      // Without the point, a name would not cover the hosts below it.
      const list = { path: join(folder, 'list.txt'), prefix: '.' }
      writeList(list.path, settings.names, list.prefix)
      const squid = await startSquid(settings, folder, this.name, [
        `acl listed dstdomain "${list.path}"`,
        'deny_info 302:https://portal.example/blocked?url=%u listed',
        // Decided inside the tunnel, where the response is one to a request.
        'http_access allow CONNECT',
        'http_access deny listed',
      ])
      const reload = () => process.kill(squid.pid, 'SIGHUP')
      return { servers: [squid], ca: settings.ca.certificate, list: { ...list, status: 302, reload } }
    },
  },
  {
    name: SQUIDGUARD,
    packages: 'squid-openssl squidguard',
    isInstalled: () => hasSquid() && findProgram(SQUID_GUARD) !== undefined,
    async start(settings, folder) {
      const list = { path: join(folder, 'domains'), prefix: '' }
      writeList(list.path, settings.names)
      const configuration = fillIn(new URL('squidguard.conf', TEMPLATES), folder, {})
      const program = findProgram(SQUID_GUARD) as string
      const build = () => {
        run(settings, [program, '-c', configuration, '-C', 'all'])
        openToAll(folder)
      }
      build()
      const squid = await startSquid(settings, folder, this.name, [
        `url_rewrite_program ${program} -c ${configuration}`,
        'url_rewrite_children 8 startup=8',
        'url_rewrite_access deny CONNECT',
      ])
      const reload = () => {
        build()
        process.kill(squid.pid, 'SIGHUP')
      }
      return { servers: [squid], ca: settings.ca.certificate, list: { ...list, status: 302, reload } }
    },
  },
  {
    name: C_ICAP,
    packages: 'squid-openssl c-icap libc-icap-mod-urlcheck',
    isInstalled: () => hasSquid() && findProgram(C_ICAP_SERVER) !== undefined && globSync(URL_CHECK).length > 0,
    async start(settings, folder) {
      const list = { path: join(folder, 'list.txt'), prefix: '' }
      writeList(list.path, settings.names)
      const modules = dirname(globSync(URL_CHECK)[0] as string)
      const words = (port: number) => [
        ...['-N', '-f'],
        fillIn(new URL('c-icap.conf', TEMPLATES), folder, { PORT: `${port}`, MODULES: modules, LIST: list.path }),
      ]
      const program = findProgram(C_ICAP_SERVER) as string
      const cIcap = await startPeer(settings, { name: this.name, program, words })
      const squid = await startSquid(settings, folder, this.name, [
        'icap_enable on',
        'icap_send_client_ip on',
        `icap_service verdict reqmod_precache icap://127.0.0.1:${cIcap.port}/url_check bypass=off`,
        'adaptation_access verdict deny CONNECT',
        'adaptation_access verdict allow all',
      ])
      const reload = () => writeFileSync(join(folder, 'c-icap.ctl'), 'reconfigure')
      // Its page has no length: Squid 5.7 closes the connection after it.
      const ended = { ...list, status: 403, endsConnection: true, reload }
      return { servers: [squid, cIcap], ca: settings.ca.certificate, list: ended }
    },
  },
  {
    name: E2GUARDIAN_ICAP,
    packages: 'squid-openssl e2guardian',
    isInstalled: () => hasSquid() && hasE2guardian(),
    async start(settings, folder) {
      const { server, list } = await startE2guardian(settings, folder, this.name, 'icap')
      const squid = await startSquid(settings, folder, this.name, [
        'icap_enable on',
        'icap_send_client_ip on',
        `icap_service verdict reqmod_precache icap://127.0.0.1:${server.port}/request bypass=off`,
        'adaptation_masterx_shared_names X-ICAP-E2G',
        'adaptation_access verdict deny CONNECT',
        'adaptation_access verdict allow all',
      ])
      return { servers: [squid, server], ca: settings.ca.certificate, list }
    },
  },
  {
    name: E2GUARDIAN,
    packages: 'e2guardian',
    isInstalled: hasE2guardian,
    async start(settings, folder) {
      const { server, list } = await startE2guardian(settings, folder, this.name, 'proxy')
      const reload = () => process.kill(server.pid, 'SIGUSR1')
      // It crashes when it makes several certificates at once.
      return { servers: [server], ca: settings.ca.certificate, list: { ...list, reload }, certificatesAtOnce: 1 }
    },
  },
]

async function startE2guardian(
  settings: Settings,
  folder: string,
  name: string,
  mode: E2guardianMode,
): Promise<{ readonly server: Server; readonly list: ProxyList }> {
  const list = { path: join(folder, 'bannedsitelist'), prefix: '' }
  const words = (port: number) => ['-N', '-c', configureE2guardian(settings, folder, list.path, port, mode)]
  writeList(list.path, settings.names)
  const server = await startPeer(settings, {
    name,
    program: findProgram(/^e2guardian$/) as string,
    words,
    // It has no setting for a CA in a file.
    environment: () => ({ SSL_CERT_FILE: settings.caFile }),
  })
  return { server, list: { ...list, status: 302, endsConnection: true } }
}

/** @param decision lines of its configuration */
function startSquid(settings: Settings, folder: string, name: string, decision: readonly string[]): Promise<Server> {
  const signer = join(folder, 'ca.pem')
  writeFileSync(signer, settings.ca.certificate + settings.ca.key)
  openToAll(folder)
  const words = (port: number) => {
    const values = {
      PORT: `${port}`,
      CA: signer,
      ORIGINCA: settings.caFile,
      HOSTS: settings.hostsFile,
      DECISION: decision.join('\n'),
    }
    return ['-N', '-n', `bench${port}`, '-f', fillIn(new URL('squid.conf', TEMPLATES), folder, values)]
  }
  return startPeer(settings, { name, program: findProgram(SQUID) as string, words })
}

function startPeer({ folder, cores }: Settings, plan: ServerPlan): Promise<Server> {
  const environment = (port: number) => ({ HOME: folder, ...plan.environment?.(port) })
  return startServer({ ...plan, environment, isMute: true, startSeconds: START_SECONDS }, cores)
}

/** Runs a program of a peer until it ends, on the core of the servers. */
function run({ cores }: Settings, command: readonly string[]): void {
  const [program, ...words] = cores === undefined ? command : ['taskset', '--cpu-list', cores.server, ...command]
  execFileSync(program as string, words, { stdio: 'pipe', timeout: START_SECONDS * 1000 })
}

/** Peers drop root privileges. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o777)
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o666)
}
