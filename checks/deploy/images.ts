// The images of portal, engine, terminator and database, and the base that all are made of: Debian's packages, and the Node
// and the PostgreSQL that came with the dependencies.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '#package' with { type: 'json' }
import { copyBinaries, noPostgres } from '../../test/support/postgres-server.ts'
import { apart } from './apart.ts'
import { cannot, has, must } from './programs.ts'

/** By what the tests find them (checks/deploy/tests/images.ts). */
export const images = {
  BASE_TEST_IMAGE: process.env.BASE_IMAGE ?? 'portal-check/base',
  PORTAL_TEST_IMAGE: 'portal-check/portal',
  ENGINE_TEST_IMAGE: 'portal-check/engine',
  TERMINATOR_TEST_IMAGE: 'portal-check/terminator',
  POSTGRESQL_TEST_IMAGE: noPostgres === false ? 'portal-check/postgresql' : '',
}

/** Debian with nginx, Node and npm, and this machine's certificates; unless there is a base. */
export async function makeBase(work: string): Promise<void> {
  if (process.env.BASE_IMAGE !== undefined) return
  if (!has('mmdebstrap')) cannot('mmdebstrap is missing: apt-get install mmdebstrap')
  const npm = npmFolder()
  if (npm === undefined) cannot('npm, which goes into the base image, is not found')
  const packages = 'ca-certificates,libatomic1,nginx-light,libnginx-mod-stream'
  const certificates = '/etc/ssl/certs/ca-certificates.crt'
  const tar = join(work, 'base.tar')
  const words = [
    // Nobody wants this base after a power cut.
    ...['mmdebstrap', '--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', `--include=${packages}`],
    ...['--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-exclude=/usr/share/man/*'],
    `--customize-hook=upload '${process.execPath}' /usr/local/bin/node`,
    '--customize-hook=chmod 755 "$1/usr/local/bin/node"',
    '--customize-hook=mkdir -p "$1/usr/local/lib/node_modules"',
    `--customize-hook=copy-in '${npm}' /usr/local/lib/node_modules`,
    '--customize-hook=ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"',
    ...(existsSync(certificates) ? [`--customize-hook=upload ${certificates} ${certificates}`] : []),
    ...['bookworm', tar],
  ]
  await must('makes a base image', [
    'env',
    `TMPDIR=${work}`,
    ...(process.getuid?.() === 0 ? apart('host', words) : words),
  ])
  const variable = `ENV NODE_EXTRA_CA_CERTS=${certificates}`
  await must('imports it', ['docker', 'import', '--change', variable, tar, images.BASE_TEST_IMAGE])
  rmSync(tar)
}

function npmFolder(): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' })
  const found = stdout.trim() === '' ? undefined : dirname(dirname(realpathSync(stdout.trim())))
  return found !== undefined && existsSync(join(found, 'bin', 'npm-cli.js')) ? found : undefined
}

export async function buildImages(work: string): Promise<void> {
  const base = ['--build-arg', `BASE_IMAGE=${images.BASE_TEST_IMAGE}`]
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  const labels = { VERSION: packageJson.version, REVISION: stdout?.trim() || 'unknown' }
  const args = Object.entries(labels).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  const portal = ['--file', 'deploy/Dockerfile', ...base]
  await build(images.PORTAL_TEST_IMAGE, [...portal, '--target', 'portal', ...args, '.'])
  await build(images.ENGINE_TEST_IMAGE, [...portal, '--target', 'engine', '.'])
  await build(images.TERMINATOR_TEST_IMAGE, [...base, 'deploy/terminator'])
  if (images.POSTGRESQL_TEST_IMAGE === '') return
  const context = join(work, 'postgresql')
  cpSync(join(import.meta.dirname, 'postgresql'), context, { recursive: true })
  copyBinaries(context)
  await build(images.POSTGRESQL_TEST_IMAGE, [...base, context])
  rmSync(context, { recursive: true })
}

// With the host's network: a machine without a way from its bridges to the registry can build all the same.
async function build(image: string, args: readonly string[]): Promise<void> {
  await must(`builds ${image}`, ['docker', 'build', '--quiet', '--network', 'host', '--tag', image, ...args])
}

/** For another container engine. */
export async function saveImages(file: string): Promise<void> {
  const ours = [images.PORTAL_TEST_IMAGE, images.ENGINE_TEST_IMAGE, images.TERMINATOR_TEST_IMAGE]
  await must('saves them', ['docker', 'save', '--output', file, ...ours])
}

/** Of an engine that was there before and stays. */
export function removeImages(): void {
  const { stdout } = spawnSync('docker', ['images', '--format', '{{.Repository}}', 'portal-check/*'], {
    encoding: 'utf8',
  })
  spawnSync('docker', ['rmi', '--force', ...stdout.trim().split('\n')], { stdio: 'ignore' })
}
