// Builds the images of portal, engine, terminator, proxy and database on a common base, from Debian's packages and from the
// Node and the PostgreSQL among the npm packages.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '#package' with { type: 'json' }
import { copyBinaries, noPostgres } from '../../test/support/postgres-server.ts'
import { hasCommand } from '../../test/support/requirement.ts'
import { isolated } from './isolation.ts'
import { exitCannotRun, runOrExit } from './programs.ts'

export const images = {
  base: process.env.BASE_IMAGE ?? 'portal-check/base',
  portal: 'portal-check/portal',
  engine: 'portal-check/engine',
  terminator: 'portal-check/terminator',
  proxy: 'portal-check/proxy',
  /** Undefined where no npm package has PostgreSQL for this machine. */
  postgresql: noPostgres === false ? 'portal-check/postgresql' : undefined,
}

/**
 * Builds a base of Debian 13, or of the release BASE_SUITE, with nginx, Squid, Node, npm and this machine's CA certificates,
 * unless BASE_IMAGE names one.
 */
export async function createBase(work: string): Promise<void> {
  if (process.env.BASE_IMAGE !== undefined) return
  if (!hasCommand('mmdebstrap')) exitCannotRun('mmdebstrap is missing: apt-get install mmdebstrap')
  const npm = npmFolder()
  if (npm === undefined) exitCannotRun('npm, which the base image needs, was not found')
  const packages = 'ca-certificates,libatomic1,nginx-light,libnginx-mod-stream,squid-openssl'
  const certificates = '/etc/ssl/certs/ca-certificates.crt'
  const tar = join(work, 'base.tar')
  const command = [
    // The base needs no durability.
    ...['mmdebstrap', '--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', `--include=${packages}`],
    ...['--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-exclude=/usr/share/man/*'],
    `--customize-hook=upload '${process.execPath}' /usr/local/bin/node`,
    '--customize-hook=chmod 755 "$1/usr/local/bin/node"',
    '--customize-hook=mkdir -p "$1/usr/local/lib/node_modules"',
    `--customize-hook=copy-in '${npm}' /usr/local/lib/node_modules`,
    '--customize-hook=ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"',
    ...(existsSync(certificates) ? [`--customize-hook=upload ${certificates} ${certificates}`] : []),
    ...[process.env.BASE_SUITE ?? 'trixie', tar],
  ]
  await runOrExit('building the base image', [
    'env',
    `TMPDIR=${work}`,
    ...(process.getuid?.() === 0 ? isolated('host', command) : command),
  ])
  const variable = `ENV NODE_EXTRA_CA_CERTS=${certificates}`
  await runOrExit('importing the base image', ['docker', 'import', '--change', variable, tar, images.base])
  rmSync(tar)
}

function npmFolder(): string | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' })
  const found = stdout.trim() === '' ? undefined : dirname(dirname(realpathSync(stdout.trim())))
  return found !== undefined && existsSync(join(found, 'bin', 'npm-cli.js')) ? found : undefined
}

export async function buildImages(work: string): Promise<void> {
  const base = ['--build-arg', `BASE_IMAGE=${images.base}`]
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  const labels = { VERSION: packageJson.version, REVISION: stdout?.trim() || 'unknown' }
  const args = Object.entries(labels).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  const portal = ['--file', 'deploy/Dockerfile', ...base]
  await build(images.portal, [...portal, '--target', 'portal', ...args, '.'])
  await build(images.engine, [...portal, '--target', 'engine', '.'])
  await build(images.terminator, [...base, 'deploy/terminator'])
  await build(images.proxy, ['--file', 'deploy/proxy/Dockerfile', ...base, '.'])
  if (images.postgresql === undefined) return
  const context = join(work, 'postgresql')
  cpSync(join(import.meta.dirname, 'postgresql'), context, { recursive: true })
  copyBinaries(context)
  await build(images.postgresql, [...base, context])
  rmSync(context, { recursive: true })
}

// The host's network also works where bridges have no route to the registry.
async function build(image: string, args: readonly string[]): Promise<void> {
  await runOrExit(`building ${image}`, ['docker', 'build', '--quiet', '--network', 'host', '--tag', image, ...args])
}

/** Saves the images for another container engine. */
export async function saveImages(file: string): Promise<void> {
  const ours = [images.portal, images.engine, images.terminator]
  await runOrExit('saving the images', ['docker', 'save', '--output', file, ...ours])
}

/** Removes the images from an engine that was running before. */
export function removeImages(): void {
  const { stdout } = spawnSync('docker', ['images', '--format', '{{.Repository}}', 'portal-check/*'], {
    encoding: 'utf8',
  })
  spawnSync('docker', ['rmi', '--force', ...stdout.trim().split('\n')], { stdio: 'ignore' })
}
