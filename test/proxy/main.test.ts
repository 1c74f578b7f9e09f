// The proxy's program: it reports every wrong setting at once, before Squid reads anything; it waits for the engine, and says for
// what; it ends with status 0 when it is told to.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { type MadeCertificate, makeServed } from '../support/certificates.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { hasCommand, skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'
import { accepts } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { skipWithoutSquid } from './proxy.ts'

const PROGRAM = fileURLToPath(new URL('../../src/proxy/main.ts', import.meta.url))
type Settings = Readonly<Record<string, string | undefined>>

const folder = temporaryFolder({ after })
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const settings: Settings = {
  ...COMPILE_CACHE,
  PATH: process.env.PATH,
  PROXY_CLIENTS: '127.0.0.0/8',
  PROXY_PORTAL: 'https://portal.example',
  PROXY_ICAP_TOKEN_FILE: file('token', 'a-token-of-the-engine'),
  PROXY_PUBLISHED: join(folder, 'published'),
  PROXY_RUN: join(folder, 'run'),
}

function run(args: readonly string[], more: Settings = {}) {
  const env = { ...settings, ...more }
  return spawnSync(process.execPath, [PROGRAM, ...args], { env, encoding: 'utf8', timeout: 20_000 })
}

test('--version and --help, whatever the settings; any other argument is misuse', () => {
  const misconfigured = { PROXY_LISTEN: 'x', PATH: '/nonexistent' }
  const version = run(['--version'], misconfigured)
  assert.deepEqual([version.status, version.stdout, version.stderr], [0, `${packageJson.version}\n`, ''])
  const help = run(['--help'], misconfigured)
  assert.deepEqual([help.status, help.stderr], [0, ''])
  assert.match(help.stdout, /^Usage: .*\n(.*\n)* {2}--check /)
  for (const args of [['--chek'], ['start'], ['--check=yes']]) {
    const { status, stdout, stderr } = run(args)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /\n\nUsage: /)
  }
})

describe('the proxy', { skip: skipWithoutSquid, timeout: 60_000 }, () => {
  test('all problems at once, by a start and by --check', () => {
    const include = file('include.conf', 'icap_enable off\n')
    const wrong = { PROXY_CLIENTS: 'all', PROXY_PORTAL: undefined, PROXY_LISTEN: '0', PROXY_INCLUDE: include }
    for (const args of [[], ['--check']]) {
      const { status, stdout, stderr } = run(args, { ...wrong, PROXY_ICAP_TOKEN_FILE: file('short', 'short') })
      assert.deepEqual([status, stdout], [2, ''], stderr)
      const [title, ...problems] = stderr.trimEnd().split('\n')
      assert.equal(title, 'The configuration has 5 problems:')
      assert.deepEqual(problems.map((line) => / {2}(\w+) must /.exec(line)?.[1]).toSorted(), [
        'PROXY_CLIENTS',
        'PROXY_ICAP_TOKEN_FILE',
        'PROXY_INCLUDE',
        'PROXY_LISTEN',
        'PROXY_PORTAL',
      ])
    }
  })

  test('without Squid, or with one that cannot decrypt, the settings are checked, too', () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    writeFileSync(join(empty, 'squid'), '#!/bin/sh\necho "Squid Cache: Version 6.13"\n', { mode: 0o755 })
    const { status, stderr } = run([], { PATH: empty, PROXY_LISTEN: 'x' })
    assert.equal(status, 2)
    assert.match(
      stderr,
      /^The configuration has 2 problems:\n {2}this Squid cannot decrypt: .*\n {2}PROXY_LISTEN must /,
    )
  })

  async function started(t: TestContext, more: Settings) {
    const env = { ...settings, ...more }
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let log = ''
    child.stderr.on('data', (chunk) => {
      log += chunk
    })
    const closed = once(child, 'close')
    t.after(async () => {
      killGroup(child)
      await closed
    })
    return {
      child,
      closed,
      log: () => log,
      logged: (pattern: RegExp) => until(() => pattern.test(log), 20).catch(() => assert.match(log, pattern)),
      async stop() {
        child.kill('SIGTERM')
        const [status] = await closed
        return status
      },
    }
  }

  function killGroup({ pid }: ChildProcess): void {
    try {
      process.kill(-Number(pid), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }

  let ca: MadeCertificate | undefined
  /** Publishes what a proxy needs at least. */
  function publish(): void {
    ca ??= makeServed('unused').ca
    mkdirSync(join(folder, 'published', 'bump'), { recursive: true })
    writeFileSync(join(folder, 'published', 'bump', 'ca.pem'), ca.key + ca.certificate)
  }

  /** A service that responds to OPTIONS once it is ready. */
  async function startIcap(t: TestContext, isReady = true) {
    const service = { isReady, url: '' }
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (data) => {
        const isAnswered = service.isReady && /^OPTIONS icap:/.test(`${data}`)
        socket.end(`ICAP/1.0 ${isAnswered ? '200 OK' : '503 Busy'}\r\nMethods: REQMOD\r\nISTag: "a"\r\n\r\n`)
      })
    })
    service.url = `icap://127.0.0.1:${await listen(t, server)}/reqmod`
    return service
  }

  test('it waits for the CA, then for an engine that answers OPTIONS, then listens', {
    skip: skipWithoutOpenssl,
  }, async (t) => {
    const port = await freePort()
    const icap = await startIcap(t, false)
    const more = { PROXY_LISTEN: `127.0.0.1:${port}`, PROXY_ICAP: icap.url }
    assert.match(run(['--check'], more).stdout, /^warning: \S+bump\/ca\.pem .*\n(warning: .*\n)*no problems\n$/)
    const { child, logged, log, stop } = await started(t, { ...more, PROXY_LISTENS: '3128' })
    await logged(/^proxy: warning: PROXY_LISTENS is not a known variable; the nearest known name is PROXY_LISTEN$/m)
    await logged(/^proxy: waiting for \S+\/bump\/ca\.pem, which the engine publishes$/m)
    publish()
    await logged(/^proxy: waiting for the engine's ICAP service at icap:/m)
    assert.ok(!(await accepts(port)))
    icap.isReady = true
    await logged(/^proxy: \S+tenants is missing, and is treated as empty/m)
    await logged(new RegExp(`^proxy: listening on 127\\.0\\.0\\.1:${port}$`, 'm'))
    // Squid logs it just before it listens.
    await until(() => accepts(port))
    assert.match(run(['--check'], more).stdout, /^warning: the proxy is running: .*\n(warning: .*\n)*no problems\n$/m)
    assert.equal(child.exitCode, null)
    assert.equal(await stop(), 0, log())
    assert.deepEqual(
      readdirSync('/dev/shm').filter((name) => name.startsWith(`gateway${child.pid}`)),
      [],
    )
    assert.equal(existsSync(join(folder, 'run', 'service')), false)
  })

  test('--check: what Squid does not accept, and a port that is in use; nothing is left', {
    skip: skipWithoutOpenssl,
  }, async (t) => {
    publish()
    const port = await listen(t, createServer())
    const before = readdirSync(join(folder, 'run'))
    const include = file('unknown.conf', 'no_such_directive on\n')
    const { status, stderr } = run(['--check'], { PROXY_LISTEN: `127.0.0.1:${port}`, PROXY_INCLUDE: include })
    assert.equal(status, 2)
    assert.match(stderr, /^The configuration has 2 problems:$/m)
    assert.match(stderr, /^ {2}Squid does not accept the configuration: .*no_such_directive/m)
    assert.match(stderr, /^ {2}PROXY_LISTEN must name an address that can be used; .* the port is in use/m)
    assert.deepEqual(readdirSync(join(folder, 'run')), before)
  })

  test('a start with what Squid does not accept ends with status 2', { skip: skipWithoutOpenssl }, async (t) => {
    publish()
    const { closed, log } = await started(t, {
      PROXY_LISTEN: `127.0.0.1:${await freePort()}`,
      PROXY_ICAP: (await startIcap(t)).url,
      PROXY_INCLUDE: file('unknown.conf', 'no_such_directive on\n'),
    })
    assert.deepEqual(await closed, [2, null])
    assert.match(log(), /^proxy: Squid does not accept the configuration: .*no_such_directive/m)
  })

  test('a log that nobody reads: it starts, follows what is published, and stops', {
    skip: skipWithoutOpenssl || skipUnless(hasCommand('mkfifo'), 'needs mkfifo'),
  }, async (t) => {
    publish()
    const path = join(folder, 'log')
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    t.after(() => closeSync(reader))
    fill(reader)
    const log = openSync(path, constants.O_WRONLY)
    const port = await freePort()
    const env = { ...settings, PROXY_LISTEN: `127.0.0.1:${port}`, PROXY_ICAP: (await startIcap(t)).url }
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'ignore', log], detached: true })
    closeSync(log)
    const closed = once(child, 'close')
    t.after(() => killGroup(child))
    await until(() => accepts(port), 30)
    mkdirSync(join(folder, 'published', 'proxy'), { recursive: true })
    writeFileSync(join(folder, 'published', 'proxy', 'internal'), '192.0.2.0/24\n')
    const isFollowed = () => readFileSync(join(folder, 'run', 'squid.conf'), 'utf8').includes('/configuration.1/')
    await until(isFollowed, 20)
    await until(() => accepts(port))
    child.kill('SIGTERM')
    assert.deepEqual(await closed, [0, null])
  })

  /** Writes to a pipe until it accepts nothing more. */
  function fill(pipe: number): void {
    try {
      for (;;) writeSync(pipe, Buffer.alloc(4096, '.'))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
    }
  }

  test('a signal while it waits', async (t) => {
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
    const ended = signals.map(async (signal) => {
      const { child, closed, logged } = await started(t, {
        PROXY_PUBLISHED: join(folder, 'nothing'),
        PROXY_RUN: join(folder, signal),
      })
      await logged(/waiting for /)
      child.kill(signal)
      assert.deepEqual(await closed, [0, null], signal)
    })
    await Promise.all(ended)
  })
})
