// `npm run release`: gatewayctl as a folder with its own Node and a launcher, one archive for each platform. It is no npm
// package, because Node runs no TypeScript under node_modules.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import packageJson from '#package' with { type: 'json' }

const HELP = `Usage: npm run release -- [--fetch] [--platform PLATFORM …] [--output FOLDER]

Makes gatewayctl-VERSION-PLATFORM.tar.gz for each platform whose Node is installed, and SHA256SUMS beside them.

  --platform PLATFORM  for this one alone: linux-x64, linux-arm64, darwin-x64, darwin-arm64
  --fetch              gets the Node of platforms that are not installed with npm, and holds it against the lockfile
  --output FOLDER      otherwise dist/
`

interface LockedPackage {
  readonly version: string
  readonly integrity: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('../', import.meta.url))
const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)
/** The reference engine does not belong to it, nor does what only that needs. */
const ENGINE_ONLY = ['@peculiar/x509', 'reflect-metadata', 'smol-toml']

const { values } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true },
    fetch: { type: 'boolean', default: false },
    output: { type: 'string', default: join(root, 'dist') },
    help: { type: 'boolean' },
  },
})
if (values.help) process.stdout.write(HELP)
else release()

function release(): void {
  const nodes = Object.keys(packageJson.optionalDependencies).filter((name) => !name.startsWith('node-win'))
  const wanted = nodes.filter((name) => values.platform?.includes(platformOf(name)) ?? true)
  if (wanted.length === 0) throw new Error(`no such platform; there are ${nodes.map(platformOf).join(', ')}`)
  mkdirSync(values.output, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'gatewayctl-release-'))
  try {
    const sums = wanted.flatMap((name) => archive(name, work) ?? [])
    writeFileSync(join(values.output, 'SHA256SUMS'), sums.join(''))
    if (sums.length === 0) throw new Error('nothing was made')
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Its line of SHA256SUMS; undefined where there is no Node for it. */
function archive(nodePackage: string, work: string): string | undefined {
  const node = nodeFolder(nodePackage, work)
  if (node === undefined) {
    process.stderr.write(`${platformOf(nodePackage)}: ${nodePackage} is not installed; --fetch gets it\n`)
    return undefined
  }
  const name = `gatewayctl-${packageJson.version}-${platformOf(nodePackage)}`
  const folder = join(work, name)
  mkdirSync(join(folder, 'bin'), { recursive: true })
  copyFileSync(join(node, 'bin', 'node'), join(folder, 'bin', 'node'))
  copyFileSync(join(node, 'LICENSE'), join(folder, 'bin', 'LICENSE'))
  for (const file of ['LICENSE', 'package.json']) copyFileSync(join(root, file), join(folder, file))
  copyFileSync(join(root, 'scripts', 'gatewayctl'), join(folder, 'gatewayctl'))
  const engine = join(root, 'src', 'engine')
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: (source) => source !== engine })
  for (const path of productionPackages()) cpSync(join(root, path), join(folder, path), { recursive: true })

  const file = `${name}.tar.gz`
  // The same sources give the same archive.
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u+rw,go+r-w,a+X']
  execFileSync('tar', ['-C', work, ...plain, '-I', 'gzip -n', '-cf', join(values.output, file), name])
  rmSync(folder, { recursive: true })
  const sum = createHash('sha256')
    .update(readFileSync(join(values.output, file)))
    .digest('hex')
  process.stdout.write(`${join(values.output, file)}\n`)
  return `${sum}  ${file}\n`
}

function nodeFolder(nodePackage: string, work: string): string | undefined {
  const installed = join(root, 'node_modules', nodePackage)
  if (existsSync(join(installed, 'bin', 'node'))) return installed
  const locked = lock.packages[`node_modules/${nodePackage}`]
  if (!values.fetch || locked === undefined) return undefined
  const packed = execFileSync('npm', [
    'pack',
    '--silent',
    '--pack-destination',
    work,
    `${nodePackage}@${locked.version}`,
  ])
  const file = join(work, packed.toString().trim())
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (integrity !== locked.integrity) throw new Error(`${nodePackage} is not the package that the lockfile names`)
  const folder = join(work, nodePackage)
  mkdirSync(folder)
  execFileSync('tar', ['-C', folder, '--strip-components=1', '-xzf', file])
  return folder
}

/** Folders of what runs, as the lockfile has them, without optional packages. */
function productionPackages(): readonly string[] {
  const found = new Set<string>()
  const add = (name: string, from: string): void => {
    const path = placesOf(name, from).find((place) => place in lock.packages)
    if (path === undefined) throw new Error(`${name} is not in the lockfile`)
    if (found.has(path)) return
    found.add(path)
    for (const dependency of Object.keys(lock.packages[path]?.dependencies ?? {})) add(dependency, path)
  }
  for (const name of Object.keys(packageJson.dependencies)) if (!ENGINE_ONLY.includes(name)) add(name, '')
  return [...found]
}

/** Where Node looks for a package, the nearest place first. */
function placesOf(name: string, from: string): readonly string[] {
  const below = from === '' ? [] : [`${from}/node_modules/${name}`]
  const parent = from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : ''
  return from === '' ? [`node_modules/${name}`] : [...below, ...placesOf(name, parent)]
}

function platformOf(nodePackage: string): string {
  return nodePackage.replace(/^node-(bin-)?/, '')
}
