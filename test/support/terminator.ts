// The shipped terminator: a real nginx on loopback, started by deploy/terminator/start.
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { skipUnless } from './requirement.ts'
import { accepts } from './servers.ts'
import { until } from './until.ts'

const SHIPPED = fileURLToPath(new URL('../../deploy/terminator', import.meta.url))
const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`
const build = spawnSync('nginx', ['-V'], { env: { PATH: path }, encoding: 'utf8' }).stderr ?? ''

const stream = /--with-stream=dynamic/.test(build)
  ? existsSync(join(/--modules-path=(\S+)/.exec(build)?.[1] ?? '', 'ngx_stream_module.so'))
  : / --with-stream\s/.test(build)

export const skipWithoutNginx = skipUnless(build !== '', 'needs nginx: apt-get install nginx')

/** Needed for a portal that is resolved by name. */
export const skipWithoutStream = skipUnless(
  stream,
  'needs nginx with its stream module: apt-get install nginx libnginx-mod-stream',
)

export interface Terminator {
  readonly pid: number
  readonly httpPort: number
  readonly httpsPort: number
  /** The access log so far, parsed. */
  requests(): Record<string, unknown>[]
  /** Standard output, standard error and the access log so far. */
  logText(): string
  /** Stops it as an operator does. @returns its exit status */
  stop(): Promise<number | null>
}

export interface TerminatorOptions {
  /** `HOST:PORT`. */
  readonly portal: string
  /** The folder with `portal.crt` and `portal.key`. */
  readonly leaf: string
  /** `ADDRESS:PORT` of the DNS server. */
  readonly resolver?: string
  readonly ports?: { readonly http: number; readonly https: number }
  /** Settings of deploy/terminator/start that override the ones above. */
  readonly settings?: Readonly<Record<string, string>>
  /** The user and group to run as. */
  readonly user?: number
  /** Called whenever it has written something. */
  readonly onOutput?: () => void
  /** Changes nginx.conf, for what would take too long as it is. */
  readonly edit?: (shipped: string) => string
}

/** Runs deploy/terminator/start with these settings and no others. */
export function spawnTerminator(
  settings: Readonly<Record<string, string>>,
  user?: number,
  folder = SHIPPED,
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(join(folder, 'start'), [], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user !== undefined && { uid: user, gid: user }),
  })
}

export async function startTerminator(t: Cleanup, options: TerminatorOptions): Promise<Terminator> {
  const ports = options.ports ?? { http: await freePort(), https: await freePort() }
  const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
  if (options.user !== undefined) chownSync(run, options.user, options.user)
  const accessLog = join(run, 'requests.log')
  const settings = {
    TERMINATOR_PORTAL: options.portal,
    TERMINATOR_LEAF: options.leaf,
    TERMINATOR_RUN: run,
    TERMINATOR_ACCESS_LOG: accessLog,
    TERMINATOR_HTTP: `127.0.0.1:${ports.http}`,
    TERMINATOR_HTTPS: `127.0.0.1:${ports.https}`,
    ...(options.resolver !== undefined && { TERMINATOR_RESOLVER: options.resolver }),
    ...options.settings,
  }
  const child = spawnTerminator(settings, options.user, options.edit && editedCopy(join(run, 'copy'), options.edit))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      options.onOutput?.()
    })
  }
  let lastRequests: string | undefined
  const requests = () => lastRequests ?? (existsSync(accessLog) ? readFileSync(accessLog, 'utf8') : '')
  const closed = once(child, 'close')
  const terminator: Terminator = {
    pid: child.pid as number,
    httpPort: ports.http,
    httpsPort: ports.https,
    requests: () =>
      requests()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    logText: () => requests() + output,
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM')
      await closed
      lastRequests = requests()
      rmSync(run, { recursive: true, force: true })
      return child.exitCode
    },
  }
  t.after(terminator.stop)
  // While it waits for the leaf, nginx listens for a moment as it checks the configuration, and writes no id.
  const pid = join(settings.TERMINATOR_RUN, 'nginx.pid')
  const isRunning = () => existsSync(pid) && readFileSync(pid, 'utf8') !== ''
  await until(async () => (isRunning() && (await accepts(ports.https))) || child.exitCode !== null, 60, 20)
  assert.equal(child.exitCode, null, `the terminator does not start:\n${output}`)
  return terminator
}

function editedCopy(folder: string, edit: (shipped: string) => string): string {
  cpSync(SHIPPED, folder, { recursive: true })
  const shipped = readFileSync(join(folder, 'nginx.conf'), 'utf8')
  const edited = edit(shipped)
  assert.notEqual(edited, shipped)
  writeFileSync(join(folder, 'nginx.conf'), edited)
  return folder
}
