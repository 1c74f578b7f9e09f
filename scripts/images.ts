// The images of a release in one file, for machines that pull from no registry: `docker load` adds them.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }

const root = fileURLToPath(new URL('../', import.meta.url))
const { BASE_IMAGE, TERMINATOR_BASE_IMAGE, PROXY_BASE_IMAGE } = process.env

/** The arguments of `docker build` for each image. */
const IMAGES: Readonly<Record<string, { readonly base: string | undefined; readonly args: readonly string[] }>> = {
  'gateway/captive-portal': { base: BASE_IMAGE, args: ['--file', 'deploy/Dockerfile', '--target', 'portal', '.'] },
  'gateway/engine': { base: BASE_IMAGE, args: ['--file', 'deploy/Dockerfile', '--target', 'engine', '.'] },
  'gateway/alarms': { base: BASE_IMAGE, args: ['--file', 'deploy/Dockerfile', '--target', 'alarms', '.'] },
  'gateway/captive-terminator': { base: TERMINATOR_BASE_IMAGE, args: ['deploy/terminator'] },
  'gateway/proxy': { base: PROXY_BASE_IMAGE, args: ['--file', 'deploy/proxy/Dockerfile', '.'] },
}

/** Builds the images with a running Docker Engine, and saves them to a file in the folder. @returns its name */
export function saveImages(folder: string): string {
  if (spawnSync('docker', ['info']).status !== 0)
    throw new Error('no Docker Engine is running; --no-images omits the images')
  const { version } = packageJson
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const names = Object.entries(IMAGES).map(([name, { base, args }]) => {
    const values = [
      ...(base === undefined ? [] : [`BASE_IMAGE=${base}`]),
      ...(name === 'gateway/captive-portal' ? [`VERSION=${version}`, `REVISION=${revision}`] : []),
    ]
    const options = [
      '--network',
      'host',
      '--tag',
      `${name}:${version}`,
      ...values.flatMap((value) => ['--build-arg', value]),
    ]
    execFileSync('docker', ['build', '--quiet', ...options, ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return `${name}:${version}`
  })
  const file = `gateway-images-${version}-linux-${process.arch}.tar.gz`
  const script = 'set -o pipefail; file=$1; shift; docker save "$@" | gzip --no-name > "$file"'
  execFileSync('bash', ['-c', script, 'bash', join(folder, file), ...names], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return file
}
