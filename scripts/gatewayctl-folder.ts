// gatewayctl as a folder with its own Node: what the archives of a release and the Debian package of the portal contain.
// It is not an npm package, because Node does not run TypeScript under node_modules.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { lockedPackages, shippedPackages } from './run-time-packages.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Files of npm packages that no program loads. */
const NEVER_LOADED = /node_modules\/(@[^/]+\/)?[^/]+\/(\.[^/]+|benchmarks?|docs|index\.html|test)$/

/** The npm packages that contain Node, for all platforms of a release. */
export const NODE_PACKAGES = Object.keys(packageJson.optionalDependencies).filter(
  (name) => !name.startsWith('node-win'),
)

/** `linux-x64` */
export function platformOf(nodePackage: string): string {
  return nodePackage.replace(/^node-(bin-)?/, '')
}

/**
 * @param downloads where a Node that is not installed is downloaded to; without it, nothing is downloaded
 * @returns the folder of a platform's Node, verified with the lockfile; undefined if it is not installed
 */
export function nodeFolder(nodePackage: string, downloads?: string): string | undefined {
  const installed = join(root, 'node_modules', nodePackage)
  if (existsSync(join(installed, 'bin', 'node'))) return installed
  const locked = lockedPackages[`node_modules/${nodePackage}`]
  if (downloads === undefined || locked === undefined) return undefined
  const folder = join(downloads, nodePackage)
  if (existsSync(folder)) return folder
  const name = `${nodePackage}@${locked.version}`
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', downloads, name])
  const file = join(downloads, packed.toString().trim())
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (integrity !== locked.integrity) throw new Error(`${nodePackage} does not match the lockfile`)
  mkdirSync(folder)
  execFileSync('tar', ['-C', folder, '--strip-components=1', '-xzf', file])
  return folder
}

/** Copies Node and its licence. */
export function copyNode(node: string, folder: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  copyFileSync(join(node, 'bin', 'node'), join(folder, 'bin', 'node'))
  copyFileSync(join(node, 'LICENSE'), join(folder, 'bin', 'LICENSE'))
}

/** Copies gatewayctl and what it needs. @param node its Node's folder */
export function copyGatewayctl(node: string, folder: string): void {
  copyNode(node, folder)
  for (const file of ['LICENSE', 'package.json']) copyFileSync(join(root, file), join(folder, file))
  copyFileSync(join(root, 'scripts', 'gatewayctl'), join(folder, 'gatewayctl'))
  const engine = join(root, 'src', 'engine')
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: (source) => source !== engine })
  for (const path of shippedPackages()) {
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (source) => !NEVER_LOADED.test(source) })
  }
}
