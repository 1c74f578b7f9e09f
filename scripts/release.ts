// `npm run release`: creates everything that a release consists of: gatewayctl for every platform, the Debian packages, the
// images, and the bill of materials of all of them.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import packageJson from '#package' with { type: 'json' }
import { CHECKS } from '../checks/list.ts'
import { releaseRefusal } from '../checks/passed.ts'
import { requiredOf } from '../checks/runner.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { copyGatewayctl, NODE_PACKAGES, nodeFolder, platformOf } from './gatewayctl-folder.ts'
import { saveImages } from './images.ts'
import { checkSignatures } from './package-signatures.ts'
import { buildPackages } from './packages.ts'
import { lockedPackages } from './run-time-packages.ts'

const HELP = `Usage: npm run release -- [--sign KEY] [--fetch] [--no-images]
                          [--no-signatures] [--unchecked]
                          [--platform PLATFORM …] [--output FOLDER]

Creates gatewayctl-VERSION-PLATFORM.tar.gz and, for Linux, the Debian packages
for each platform whose Node is installed; the images for this machine, in a
file for docker load; a bill of materials (CycloneDX); and SHA256SUMS. Before
that, the signatures of the npm packages are verified. Refused unless
\`npm run check -- --all\` has passed for the commit that is checked out, without
uncommitted changes.

  --sign KEY           signs SHA256SUMS with this key of GnuPG (SHA256SUMS.asc)
  --platform PLATFORM  only this one: linux-x64, linux-arm64, darwin-x64,
                       darwin-arm64
  --no-images          without images, for example where no Docker Engine runs.
                       BASE_IMAGE, TERMINATOR_BASE_IMAGE and PROXY_BASE_IMAGE
                       name other bases for them
  --no-signatures      does not verify the signatures, for example offline
  --unchecked          creates the files without that record, for trials
  --fetch              downloads the missing Node of other platforms with npm
                       and verifies it with the lockfile
  --output FOLDER      instead of dist/
  --help               this text

Examples:
  npm run release -- --sign releases@example.org
  npm run release -- --fetch --no-images --output /srv/releases
`

const root = fileURLToPath(new URL('../', import.meta.url))

const { values } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true },
    fetch: { type: 'boolean', default: false },
    sign: { type: 'string' },
    'no-images': { type: 'boolean', default: false },
    'no-signatures': { type: 'boolean', default: false },
    unchecked: { type: 'boolean', default: false },
    output: { type: 'string', default: join(root, 'dist') },
    help: { type: 'boolean' },
  },
})
if (values.help) process.stdout.write(HELP)
else release()

function release(): void {
  const wanted = NODE_PACKAGES.filter((name) => values.platform?.includes(platformOf(name)) ?? true)
  if (wanted.length === 0) throw new Error(`unknown platform; available: ${NODE_PACKAGES.map(platformOf).join(', ')}`)
  const refusal = releaseRefusal(root, requiredOf(CHECKS))
  if (refusal !== undefined) {
    if (!values.unchecked) throw new Error(refusal)
    process.stderr.write(`NOT CHECKED: ${refusal}\n`)
  }
  if (!values['no-signatures']) verifySignatures()
  mkdirSync(values.output, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'gatewayctl-release-'))
  try {
    const files = wanted.flatMap((name) => forPlatform(name, work))
    if (files.length === 0) throw new Error('no archive was created')
    if (!values['no-images']) files.push(saveImages(values.output))
    files.push(bill(wanted[0] as string))
    // The package for all architectures is built with each of them.
    writeFileSync(join(values.output, 'SHA256SUMS'), [...new Set(files)].map(listed).join(''))
  } finally {
    rmSync(work, { recursive: true })
  }
  if (values.sign === undefined) process.stderr.write('SHA256SUMS: NOT SIGNED; --sign names the key\n')
  else sign(values.sign)
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

/** Writes the bill of materials. @returns its name */
function bill(nodePackage: string): string {
  const name = `${packageJson.name}-${packageJson.version}.cdx.json`
  const { version = '' } = lockedPackages[`node_modules/${nodePackage}`] ?? {}
  writeFileSync(join(values.output, name), billOfMaterials(version))
  return name
}

/** Creates what a platform gets. @returns names of files; none without a Node for the platform */
function forPlatform(nodePackage: string, work: string): readonly string[] {
  const platform = platformOf(nodePackage)
  const node = nodeFolder(nodePackage, values.fetch ? work : undefined)
  if (node === undefined) {
    process.stderr.write(`${platform}: ${nodePackage} is not installed; --fetch downloads it\n`)
    return []
  }
  return [archive(platform, node, work), ...buildPackages(values.output, platform, node)]
}

function archive(platform: string, node: string, work: string): string {
  const name = `gatewayctl-${packageJson.version}-${platform}`
  const folder = join(work, name)
  copyGatewayctl(node, folder)
  const file = `${name}.tar.gz`
  // Reproducible: the same sources give the same archive.
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u+rw,go+r-w,a+X']
  execFileSync('tar', ['-C', work, ...plain, '-I', 'gzip -n', '-cf', join(values.output, file), name])
  rmSync(folder, { recursive: true })
  return file
}

/** Prints the file's path; @returns its line of SHA256SUMS */
function listed(file: string): string {
  const path = join(values.output, file)
  process.stdout.write(`${path}\n`)
  return `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${file}\n`
}

function sign(key: string): void {
  const signature = join(values.output, 'SHA256SUMS.asc')
  const args = ['--batch', '--yes', '--local-user', key, '--armor', '--detach-sign', '--output', signature]
  const { status } = spawnSync('gpg', [...args, join(values.output, 'SHA256SUMS')], { stdio: 'inherit' })
  if (status !== 0) throw new Error('SHA256SUMS could not be signed')
  process.stdout.write(`${signature}\n`)
}
