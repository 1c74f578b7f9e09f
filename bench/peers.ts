// Other programs that respond to blocked visitors, from Debian's packages: one worker each, on the server's core, with
// only this run's files. For a missing program, a line says how to install it.
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Server, type ServerPlan, startServer } from '../test/support/servers.ts'
import { type Contender, contender, type Page } from './contenders.ts'
import { type BenchEnvironment, folderOf } from './environment.ts'
import { type Navigation, proxyRequestBytes, requestBytes } from './requests.ts'

export interface PeerContext {
  /** The requests to the portal. */
  readonly pages: readonly Navigation[]
  /** The portal's response of median length, which peers send if they can. */
  readonly page: Page
  readonly note: (line: string) => void
}

interface Peer {
  readonly name: string
  readonly packages: string
  readonly isInstalled: () => boolean
  readonly start: (environment: BenchEnvironment, context: PeerContext, folder: string) => Promise<Contender>
}

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
const CONFIGURATIONS = new URL('peers/', import.meta.url)
const PHP_FPM = /^php-fpm[\d.]*$/
const IS_ROOT = process.getuid?.() === 0

export const PHP = 'nginx with PHP-FPM that opens `p`'
export const SQUID = "Squid's own deny page"

const PEERS: readonly Peer[] = [
  {
    name: 'nginx with a static file',
    packages: 'nginx',
    isInstalled: () => findProgram(/^nginx$/) !== undefined,
    async start(environment, { pages, page }, folder) {
      writeFileSync(join(folder, 'page.html'), Buffer.from(page.body, 'base64'))
      const nginx = await startNginx(environment, this.name, 'nginx-static.conf', folder)
      return contender(this.name, [nginx], pages.map(requestBytes))
    },
  },
  {
    name: SQUID,
    packages: 'squid-openssl',
    isInstalled: () => findProgram(/^squid$/) !== undefined && existsSync('/usr/share/squid/errors/templates'),
    async start(environment, { pages, page }, folder) {
      cpSync('/usr/share/squid/errors/templates', join(folder, 'errors'), { recursive: true })
      // Squid expands percent signs.
      const template = Buffer.from(page.body, 'base64').toString().replaceAll('%', '%%')
      writeFileSync(join(folder, 'errors', 'ERR_BENCH'), template)
      // Squid drops root privileges.
      chmodSync(folder, 0o777)
      const words = (port: number) => ['-N', '-f', configuration('squid.conf', folder, port)]
      const squid = await startPeer(environment, { name: this.name, program: findProgram(/^squid$/) as string, words })
      return contender(this.name, [squid], pages.map(proxyRequestBytes), { status: 403 })
    },
  },
  {
    name: PHP,
    packages: 'nginx php-fpm',
    isInstalled: () => findProgram(/^nginx$/) !== undefined && findProgram(PHP_FPM) !== undefined,
    async start(environment, { pages, page }, folder) {
      const { before, after } = templateOf(page)
      const constants = { BEFORE: before, AFTER: after, KEY: keyOf(environment) }
      const lines = Object.entries(constants).map(([name, value]) => `const ${name} = ${phpText(value)};\n`)
      writeFileSync(join(folder, 'template.php'), `<?php\n${lines.join('')}`)
      cpSync(new URL('page.php', CONFIGURATIONS), join(folder, 'page.php'))
      const nginx = await startNginx(environment, this.name, 'nginx-php.conf', folder)
      const words = (port: number) => [
        ...['--nodaemonize', '--fpm-config', configuration('php-fpm.conf', folder, port, 'user = root')],
        ...(IS_ROOT ? ['--allow-to-run-as-root'] : []),
      ]
      const fpm = { name: this.name, program: findProgram(PHP_FPM) as string, words, socket: join(folder, 'php.sock') }
      return contender(this.name, [nginx, await startPeer(environment, fpm)], pages.map(requestBytes))
    },
  },
]

/** Starts the installed peers. */
export async function startPeers(environment: BenchEnvironment, context: PeerContext): Promise<Contender[]> {
  const contenders: Contender[] = []
  for (const [index, peer] of PEERS.entries()) {
    if (peer.isInstalled())
      contenders.push(await peer.start(environment, context, folderOf(environment, `peer-${index}`)))
    else context.note(`Skipped: ${peer.name}. To measure it: \`apt-get install ${peer.packages}\``)
  }
  return contenders
}

/** @returns the path of a program of this name */
export function findProgram(name: RegExp): string | undefined {
  for (const place of FOLDERS) {
    const found = existsSync(place) ? readdirSync(place).find((file) => name.test(file)) : undefined
    if (found !== undefined) return join(place, found)
  }
  return undefined
}

function startNginx(environment: BenchEnvironment, name: string, file: string, folder: string): Promise<Server> {
  const words = (port: number) => ['-p', folder, '-e', 'stderr', '-c', configuration(file, folder, port, 'user root;')]
  return startPeer(environment, { name, program: findProgram(/^nginx$/) as string, words })
}

function startPeer(environment: BenchEnvironment, plan: ServerPlan): Promise<Server> {
  return startServer({ ...plan, environment: () => ({ HOME: environment.folder }), isMute: true }, environment.cores)
}

/** Fills in a configuration of bench/peers. @param user the line that keeps root, if needed @returns its path */
function configuration(file: string, folder: string, port: number, user = ''): string {
  return fillIn(new URL(file, CONFIGURATIONS), folder, { PORT: `${port}`, USER: IS_ROOT ? user : '' })
}

/** Replaces `${FOLDER}` and these names in a configuration. @returns its path in that folder */
export function fillIn(template: URL, folder: string, values: Readonly<Record<string, string>>): string {
  const path = join(folder, basename(template.pathname))
  const all: Readonly<Record<string, string>> = { FOLDER: folder, ...values }
  const text = readFileSync(template, 'utf8').replaceAll(/\$\{([A-Z]+)\}/g, (_, name: string) => all[name] as string)
  writeFileSync(path, text)
  return path
}

/** Splits the page where the peers insert the opened payload. */
function templateOf({ body }: Page): { readonly before: string; readonly after: string } {
  const text = Buffer.from(body, 'base64').toString()
  const place = text.indexOf('</main>')
  return { before: text.slice(0, place), after: text.slice(place) }
}

function phpText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}

function keyOf({ key }: BenchEnvironment): string {
  return key.key.export().toString('hex')
}
