// A gateway on this machine for `gatewayctl portal aup`: its folder, a small container engine with a real portal in it,
// editors that are scripts, and what a visitor sees.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../../support/cleanup.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { freePort } from '../../support/free-port.ts'
import { claims, SECRET, verdictTarget } from '../../support/payloads.ts'
import { until } from '../../support/until.ts'
import { type Ended, ended, gatewayctl, startGatewayctl } from '../gatewayctl.ts'

const DOCKER = fileURLToPath(new URL('docker.sh', import.meta.url))
const COMPOSE_UP = fileURLToPath(new URL('compose-up.ts', import.meta.url))

interface ProcessOptions {
  readonly env?: Record<string, string>
  readonly nodeOptions?: string[]
}

export interface TestGateway {
  readonly home: string
  /** The text's file on the host. */
  readonly text: string
  readonly env: Readonly<Record<string, string>>
  /** `gatewayctl portal aup …` in this process; a change is not watched beyond the first response, unless `--steady` is set. */
  aup(args: readonly string[], options?: { env?: Record<string, string>; stdin?: string }): Promise<Ended>
  /** The same as a process, whose standard input is open. */
  start(args: readonly string[], options?: ProcessOptions): ReturnType<typeof startGatewayctl>
  /** The same until it has ended. */
  aupProcess(args: readonly string[], options?: ProcessOptions & { stdin?: string }): Promise<Ended>
  /** Starts the portal as the deployment would, and waits for its first response. */
  up(): Promise<void>
  /** The same with a text that is not turned on. */
  upWith(text: string): Promise<void>
  /** The page `/aup`; undefined without a response. */
  page(): Promise<string | undefined>
  /** The whole state: texts and `.env`, by name. */
  files(): Readonly<Record<string, string>>
  /** The names of all files that gatewayctl may have written, except the lock of a change. */
  names(): readonly string[]
  /** Variables for an editor that runs this shell script, with the file as `$1`. */
  editor(script: string): Record<string, string>
  /** The calls of the container engine. */
  calls(): readonly string[]
  engineDown(isDown: boolean): void
  remove(): void
}

const STEADY = ['edit', 'enable', 'disable']

export async function testGateway(t: Cleanup | undefined, parent = tmpdir()): Promise<TestGateway> {
  const outer = mkdtempSync(join(tmpdir(), 'gateway-test-'))
  const home = mkdtempSync(join(parent, 'gateway-home-'))
  const [bin, state] = [join(outer, 'bin'), join(outer, 'engine')]
  for (const folder of [bin, state]) mkdirSync(folder, { recursive: true })
  const docker = join(bin, 'docker')
  const settings = `NODE='${process.execPath}' COMPOSE_UP='${COMPOSE_UP}'`
  writeFileSync(docker, `#!/bin/sh\n${settings} exec /bin/sh '${DOCKER}' "$@"\n`)
  chmodSync(docker, 0o755)
  const port = await freePort()
  writeFileSync(join(home, 'compose.yaml'), 'services: { portal: {} }\n')
  writeFileSync(
    join(home, '.env'),
    [
      '# The gateway of a test.',
      `GATEWAY_CAPTIVE_LISTEN_PORT=${port}`,
      'GATEWAY_CAPTIVE_LISTEN_HOST=127.0.0.1',
      'GATEWAY_CAPTIVE_OPS_PORT=0',
      '',
      '# Off until legal agrees.',
      '# the switch',
      'GATEWAY_CAPTIVE_AUP_ENABLED=false',
      `GATEWAY_CAPTIVE_AUP_PATH=${join(home, 'aup', 'aup.md')}`,
      `GATEWAY_CAPTIVE_SHARED_SECRET="${SECRET}"`,
      "GATEWAY_CAPTIVE_SECRET_KEY='kP3-session-key-for-the-tests-0123456789'",
      `GATEWAY_CAPTIVE_DATABASE_URL=sqlite:///${join(outer, 'portal.db')}`,
      'GATEWAY_CAPTIVE_SSL_BUMP=off',
      'ENGINE_INTERNAL_URL=',
      'GATEWAY_ORG_NAME=Nørthwind = Institute',
    ].join('\n'),
    { mode: 0o640 },
  )
  const env = { ...COMPILE_CACHE, GATEWAY_HOME: home, ENGINE_STATE: state, PATH: `${bin}:/usr/bin:/bin`, TMPDIR: outer }
  const text = join(home, 'aup', 'aup.md')

  const words = (args: readonly string[]) => {
    const isWatched = STEADY.includes(args[0] ?? '') && !args.includes('--steady')
    return ['portal', 'aup', ...args, ...(isWatched ? ['--steady', '0'] : [])]
  }
  const start: TestGateway['start'] = (args, options = {}) =>
    startGatewayctl(words(args), { ...options, env: { ...env, ...options.env } })
  const gateway: TestGateway = {
    home,
    text,
    env,
    start,
    aup: (args, { stdin, ...more } = {}) =>
      gatewayctl(words(args), { env: { ...env, ...more.env } }, stdin === undefined ? {} : { stdin }),
    async aupProcess(args, { stdin = '', ...options } = {}) {
      const child = start(args, options)
      child.stdin.end(stdin)
      return await ended(child)
    },
    async up() {
      spawnSync(docker, ['compose', '--file', 'compose.yaml', 'up', 'portal'], { env, timeout: 60_000 })
      await until(async () => (await gateway.page()) !== undefined, 60, 50)
    },
    async upWith(content) {
      mkdirSync(join(home, 'aup'))
      writeFileSync(text, content)
      await gateway.up()
    },
    async page() {
      const target = verdictTarget(claims(Math.floor(Date.now() / 1000), { kind: 'aup' }))
      const response = await fetch(`http://127.0.0.1:${port}${target}`, {
        headers: { accept: 'text/html', connection: 'close' },
      }).catch(() => undefined)
      return await response?.text()
    },
    files() {
      const names = (existsSync(join(home, 'aup')) ? readdirSync(join(home, 'aup')) : []).filter(
        (name) => name.endsWith('.md') && !name.startsWith('.'),
      )
      const paths = ['.env', ...names.map((name) => join('aup', name))]
      return Object.fromEntries(paths.map((path) => [path, readFileSync(join(home, path), 'utf8')]))
    },
    names() {
      const all = [home, outer].flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
      )
      const isOther = (path: string) =>
        path.startsWith(state) ||
        path.startsWith(bin) ||
        /\/(editor-|portal\.db|\.gatewayctl(\/engine\.lock)?$)/.test(path)
      return all.filter((path) => !isOther(path)).sort()
    },
    editor(script) {
      const path = join(outer, `editor-${Math.random()}`)
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
      return { EDITOR: path }
    },
    calls: () =>
      existsSync(join(state, 'calls')) ? readFileSync(join(state, 'calls'), 'utf8').trim().split('\n') : [],
    engineDown(isDown) {
      if (isDown) writeFileSync(join(state, 'down'), '')
      else rmSync(join(state, 'down'), { force: true })
    },
    remove() {
      const pid = existsSync(join(state, 'pid')) ? Number(readFileSync(join(state, 'pid'), 'utf8')) : 0
      try {
        if (pid > 1) process.kill(-pid, 'SIGKILL')
      } catch {
        // It has exited.
      }
      rmSync(home, { recursive: true, force: true })
      rmSync(outer, { recursive: true, force: true })
    },
  }
  t?.after(async () => gateway.remove())
  return gateway
}
