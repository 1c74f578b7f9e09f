// `npm run check:deploy`: the images are built and the deployment is tried with a real Docker Engine. It needs no image from
// elsewhere: the base is made of Debian's packages and the Node that came with the dependencies. Where there is no
// container engine and none can be started, it says why in one line and ends with status 77.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }

const EXIT_CANNOT = 77
const ENGINE_SECONDS = 40
const PACKAGES = 'docker.io docker-compose mmdebstrap'

const HELP = `Usage: npm run check:deploy

Builds the images and tries the deployment with a real Docker Engine: the one
that answers, or one of its own where root runs it. BASE_IMAGE names the base of
the images; without it one is made of Debian's packages. Ends with status 77
where there is no Docker Engine and none can be started.

Examples:
  npm run check:deploy
  BASE_IMAGE=node:26-slim npm run check:deploy
`
if (process.argv.includes('--help')) {
  process.stdout.write(HELP)
  process.exit(0)
}

const root = fileURLToPath(new URL('../', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'check-deploy-'))
process.once('exit', () => rmSync(work, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** By what the tests find them (test/deploy/images.ts). */
const images = {
  BASE_TEST_IMAGE: process.env.BASE_IMAGE ?? 'portal-check/base',
  PORTAL_TEST_IMAGE: 'portal-check/portal',
  ENGINE_TEST_IMAGE: 'portal-check/engine',
  TERMINATOR_TEST_IMAGE: 'portal-check/terminator',
}

const startedAt = performance.now()
await findEngine()
await buildImages()
const tests = ['test/deploy/*.test.ts', 'test/gatewayctl/aup/docker.test.ts']
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-reporter=spec', '--test-concurrency=1', '--test-timeout=300000', ...tests],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...images, DOCKER_TESTS: '1' } },
)
say(`${status === 0 ? 'good' : 'failed'} after ${Math.round((performance.now() - startedAt) / 1000)} s`)
process.exit(status === 0 ? 0 : 1)

/** The engine that is there; otherwise one of this process's own, gone with it. */
async function findEngine(): Promise<void> {
  if (!has('docker') || !has('docker-compose'))
    cannot(`docker and docker-compose are missing: apt-get install ${PACKAGES}`)
  if (answers()) return
  if (process.getuid?.() !== 0) cannot('no Docker Engine answers, and only root can start one')
  if (!has('dockerd')) cannot(`no Docker Engine answers, and dockerd is missing: apt-get install ${PACKAGES}`)
  const socket = `unix://${join(work, 'docker.sock')}`
  const log = join(work, 'dockerd.log')
  const folders = ['--data-root', join(work, 'data'), '--exec-root', join(work, 'exec'), '--pidfile', join(work, 'pid')]
  const engine = spawn('dockerd', ['--host', socket, ...folders], {
    stdio: ['ignore', openSync(log, 'a'), openSync(log, 'a')],
  })
  engine.on('error', () => {})
  process.once('exit', () => endEngine(engine))
  process.env.DOCKER_HOST = socket
  for (const deadline = Date.now() + ENGINE_SECONDS * 1000; !answers(); await sleep(250)) {
    if (engine.exitCode === null && Date.now() < deadline) continue
    cannot(`dockerd does not start here: ${readFileSync(log, 'utf8').trim().split('\n').at(-1)}`)
  }
}

/** At the end of this process, where nothing can be waited for but in this way. */
function endEngine(engine: ChildProcess): void {
  engine.kill('SIGTERM')
  spawnSync('sh', ['-c', `for i in $(seq 100); do kill -0 ${engine.pid} 2>/dev/null || exit; sleep 0.1; done`])
  spawnSync('sh', [
    '-c',
    'for folder in "$1"/exec/netns/* "$1"/data/*/merged; do umount "$folder" 2>/dev/null; done',
    'sh',
    work,
  ])
}

async function buildImages(): Promise<void> {
  if (process.env.BASE_IMAGE === undefined) makeBase()
  const base = ['--build-arg', `BASE_IMAGE=${images.BASE_TEST_IMAGE}`]
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  const labels = { VERSION: packageJson.version, REVISION: stdout?.trim() || 'unknown' }
  const args = Object.entries(labels).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  const portal = ['--file', 'deploy/Dockerfile', ...base]
  build(images.PORTAL_TEST_IMAGE, [...portal, '--target', 'portal', ...args, '.'])
  build(images.ENGINE_TEST_IMAGE, [...portal, '--target', 'engine', '.'])
  build(images.TERMINATOR_TEST_IMAGE, [...base, 'deploy/terminator'])
}

/** Debian with nginx, Node and npm, and this machine's certificates: for the images of portal, engine and terminator. */
function makeBase(): void {
  if (!has('mmdebstrap')) cannot(`mmdebstrap is missing: apt-get install ${PACKAGES}`)
  const npm = npmFolder()
  if (npm === undefined) cannot('npm, which goes into the base image, is not found')
  const packages = 'ca-certificates,libatomic1,nginx-light,libnginx-mod-stream'
  const certificates = '/etc/ssl/certs/ca-certificates.crt'
  const tar = join(work, 'base.tar')
  must('makes a base image', 'mmdebstrap', [
    ...['--quiet', '--variant=minbase', `--include=${packages}`],
    ...['--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-exclude=/usr/share/man/*'],
    `--customize-hook=upload '${process.execPath}' /usr/local/bin/node`,
    '--customize-hook=chmod 755 "$1/usr/local/bin/node"',
    '--customize-hook=mkdir -p "$1/usr/local/lib/node_modules"',
    `--customize-hook=copy-in '${npm}' /usr/local/lib/node_modules`,
    '--customize-hook=ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"',
    ...(existsSync(certificates) ? [`--customize-hook=upload ${certificates} ${certificates}`] : []),
    ...['bookworm', tar],
  ])
  const variable = `ENV NODE_EXTRA_CA_CERTS=${certificates}`
  must('imports it', 'docker', ['import', '--change', variable, tar, images.BASE_TEST_IMAGE])
  rmSync(tar)
}

function npmFolder(): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' })
  const found = stdout.trim() === '' ? undefined : dirname(dirname(realpathSync(stdout.trim())))
  return found !== undefined && existsSync(join(found, 'bin', 'npm-cli.js')) ? found : undefined
}

// With the host's network: a machine without a way from its bridges to the registry can build all the same.
function build(image: string, args: readonly string[]): void {
  must(`builds ${image}`, 'docker', ['build', '--quiet', '--network', 'host', '--tag', image, ...args])
}

function must(what: string, program: string, args: readonly string[]): void {
  say(what)
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) return
  say(`"${program} ${args[0]} …" failed: ${error?.message ?? `status ${status}`}`)
  process.exit(1)
}

function has(command: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, command)))
}

function answers(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0
}

function say(line: string): void {
  process.stderr.write(`check:deploy: ${line}\n`)
}

function cannot(reason: string): never {
  say(`not done: ${reason}`)
  process.exit(EXIT_CANNOT)
}
