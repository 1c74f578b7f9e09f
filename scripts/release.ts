// `npm run release`: gatewayctl as a folder with its own Node and a launcher, one archive for each platform. It is no npm
// package, because Node runs no TypeScript under node_modules. The bill of materials next to the archives is also the portal's:
// both run with the same packages.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import packageJson from '#package' with { type: 'json' }
import { CHECKS } from '../checks/list.ts'
import { releaseRefusal } from '../checks/passed.ts'
import { requiredOf } from '../checks/runner.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { checkSignatures } from './package-signatures.ts'
import { lockedPackages, shippedPackages } from './run-time-packages.ts'

const HELP = `Usage: npm run release -- [--fetch] [--no-signatures] [--unchecked]
                          [--platform PLATFORM …] [--output FOLDER]

Creates gatewayctl-VERSION-PLATFORM.tar.gz for each platform whose Node is
installed, and next to them SHA256SUMS and a bill of materials (CycloneDX).
Before that, the signatures of the packages are verified with npm. Refused
unless \`npm run check -- --all\` has passed for the commit that is checked out,
without uncommitted changes.

  --platform PLATFORM  only this one: linux-x64, linux-arm64, darwin-x64,
                       darwin-arm64
  --no-signatures      skips the signatures, without a network for instance
  --unchecked          creates them without that record, for trials
  --fetch              downloads the missing Node of other platforms with npm
                       and verifies it with the lockfile
  --output FOLDER      instead of dist/
  --help               this text

Examples:
  npm run release
  npm run release -- --fetch --output /srv/releases
`

const root = fileURLToPath(new URL('../', import.meta.url))

const { values } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true },
    fetch: { type: 'boolean', default: false },
    'no-signatures': { type: 'boolean', default: false },
    unchecked: { type: 'boolean', default: false },
    output: { type: 'string', default: join(root, 'dist') },
    help: { type: 'boolean' },
  },
})
if (values.help) process.stdout.write(HELP)
else release()

function release(): void {
  const nodes = Object.keys(packageJson.optionalDependencies).filter((name) => !name.startsWith('node-win'))
  const wanted = nodes.filter((name) => values.platform?.includes(platformOf(name)) ?? true)
  if (wanted.length === 0) throw new Error(`unknown platform; available: ${nodes.map(platformOf).join(', ')}`)
  const refusal = releaseRefusal(root, requiredOf(CHECKS))
  if (refusal !== undefined) {
    if (!values.unchecked) throw new Error(refusal)
    process.stderr.write(`NOT CHECKED: ${refusal}\n`)
  }
  if (!values['no-signatures']) verifySignatures()
  mkdirSync(values.output, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'gatewayctl-release-'))
  try {
    const sums = wanted.flatMap((name) => archive(name, work) ?? [])
    if (sums.length === 0) throw new Error('no archive was created')
    sums.push(bill(wanted[0] as string))
    writeFileSync(join(values.output, 'SHA256SUMS'), sums.join(''))
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** @throws {Error} when a signature is wrong */
function verifySignatures(): void {
  const signatures = checkSignatures(root)
  if (signatures.kind === 'wrong') throw new Error(`wrong or missing signatures: ${signatures.packages.join(', ')}`)
  process.stderr.write(
    signatures.kind === 'verified'
      ? 'signatures of the packages: verified\n'
      : `signatures of the packages: NOT VERIFIED (${signatures.reason}); their digests are those of the lockfile\n`,
  )
}

/** Its line of SHA256SUMS. */
function bill(nodePackage: string): string {
  const name = `${packageJson.name}-${packageJson.version}.cdx.json`
  const { version = '' } = lockedPackages[`node_modules/${nodePackage}`] ?? {}
  writeFileSync(join(values.output, name), billOfMaterials(version))
  return listed(name)
}

/** Its line of SHA256SUMS; undefined where there is no Node for it. */
function archive(nodePackage: string, work: string): string | undefined {
  const node = nodeFolder(nodePackage, work)
  if (node === undefined) {
    process.stderr.write(`${platformOf(nodePackage)}: ${nodePackage} is not installed; --fetch downloads it\n`)
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
  for (const path of shippedPackages()) cpSync(join(root, path), join(folder, path), { recursive: true })

  const file = `${name}.tar.gz`
  // The same sources give the same archive.
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u+rw,go+r-w,a+X']
  execFileSync('tar', ['-C', work, ...plain, '-I', 'gzip -n', '-cf', join(values.output, file), name])
  rmSync(folder, { recursive: true })
  return listed(file)
}

/** Prints the file's path; @returns its line of SHA256SUMS */
function listed(file: string): string {
  const path = join(values.output, file)
  process.stdout.write(`${path}\n`)
  return `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${file}\n`
}

function nodeFolder(nodePackage: string, work: string): string | undefined {
  const installed = join(root, 'node_modules', nodePackage)
  if (existsSync(join(installed, 'bin', 'node'))) return installed
  const locked = lockedPackages[`node_modules/${nodePackage}`]
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
  if (integrity !== locked.integrity) throw new Error(`${nodePackage} does not match the lockfile`)
  const folder = join(work, nodePackage)
  mkdirSync(folder)
  execFileSync('tar', ['-C', folder, '--strip-components=1', '-xzf', file])
  return folder
}

function platformOf(nodePackage: string): string {
  return nodePackage.replace(/^node-(bin-)?/, '')
}
