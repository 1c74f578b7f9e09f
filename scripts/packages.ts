// `node scripts/packages.ts FOLDER`: builds the Debian packages for this machine's architecture, which `npm run release` does
// for all of them. deploy/debian has their control files, deploy/systemd their units. The same sources give the same packages.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import packageJson from '#package' with { type: 'json' }
import { copyGatewayctl, copyNode, NODE_PACKAGES, nodeFolder, platformOf } from './gatewayctl-folder.ts'
import { lockedPackages, packageName, runTimePackages } from './run-time-packages.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const DEBIAN = join(root, 'deploy', 'debian')
/** The units' path of an installation by hand. */
const BY_HAND = '/opt/gateway-captive-portal'
/** The sandbox of all units; in a package, a file for each of its own: two packages cannot own one, nor is another's unit changed. */
const HARDENING = 'gateway-.service.d/10-hardening.conf'
const ARCHITECTURES: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }
const MAINTAINER = process.env.DEBEMAIL ?? 'gateway@packages.debian.net'

interface Package {
  readonly name: string
  /** Restarted by an upgrade. */
  readonly units: readonly string[]
  /** Started by timers. */
  readonly jobs: readonly string[]
  /** Of gateway.sysusers. */
  readonly users: readonly string[]
  /** Settings without which a service does not start. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** What purging does not remove. */
  readonly kept: readonly string[]
  /** Files of this repository, under the same paths in the package's folder. */
  readonly files: readonly string[]
  /** The program whose bundle it contains, next to its own Node. */
  readonly bundle: 'portal' | 'engine' | 'proxy'
}

const PACKAGES: readonly Package[] = [
  {
    name: 'gateway-portal',
    units: [
      'gateway-portal.service',
      'gateway-terminator.service',
      'gateway-portal-backup.timer',
      'gateway-prune.timer',
      'gateway-alarms.timer',
    ],
    jobs: ['gateway-portal-backup.service', 'gateway-prune.service', 'gateway-alarms.service'],
    users: ['gateway', 'gateway-portal', 'gateway-terminator', 'gateway-alarms'],
    needs: { 'gateway-portal': ['GATEWAY_CAPTIVE_HOSTNAME'] },
    kept: ['/etc/gateway/aup', '/var/lib/portal', '/var/backups/gateway'],
    files: [
      ...['deploy/backup', 'deploy/observability'],
      ...['nginx.conf', 'portal-by-name.conf', 'start', 'unavailable.html'].map(inTerminator),
    ],
    bundle: 'portal',
  },
  {
    name: 'gateway-engine',
    units: ['gateway-engine.service', 'gateway-engine-backup.timer', 'gateway-lists.timer', 'gateway-groups.timer'],
    jobs: ['gateway-engine-backup.service', 'gateway-lists.service', 'gateway-groups.service'],
    users: ['gateway', 'gateway-bump', 'gateway-engine', 'gateway-lists', 'gateway-groups', 'gateway-terminator'],
    needs: { 'gateway-engine': ['GATEWAY_CAPTIVE_HOSTNAME', 'GATEWAY_ORG_NAME'] },
    kept: [
      '/etc/gateway/engine',
      ...['engine', 'lists', 'groups'].map((name) => `/var/lib/gateway-${name}`),
      '/var/backups/gateway',
    ],
    files: ['deploy/backup', 'package.json'],
    bundle: 'engine',
  },
  {
    name: 'gateway-squid',
    units: ['gateway-proxy.service'],
    jobs: [],
    users: ['gateway', 'gateway-bump', 'gateway-proxy'],
    needs: { 'gateway-proxy': ['GATEWAY_CAPTIVE_HOSTNAME'] },
    kept: [],
    files: ['package.json'],
    bundle: 'proxy',
  },
]

function inTerminator(name: string): string {
  return `deploy/terminator/${name}`
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined || folder.startsWith('-'))
    throw new Error('wrong arguments: node scripts/packages.ts FOLDER')
  const nodePackage = NODE_PACKAGES.find((name) => platformOf(name) === `linux-${process.arch}`)
  const node = nodePackage && nodeFolder(nodePackage)
  if (nodePackage === undefined || node === undefined)
    throw new Error('this platform has no Node among the npm packages')
  for (const file of buildPackages(folder, platformOf(nodePackage), node))
    process.stdout.write(`${join(folder, file)}\n`)
}

/**
 * @param folder for the packages
 * @param platform `linux-x64`
 * @param node the folder of its Node
 * @returns names of files; none for a platform that Debian does not have
 */
export function buildPackages(folder: string, platform: string, node: string): readonly string[] {
  const architecture = ARCHITECTURES[platform]
  if (architecture === undefined) return []
  mkdirSync(folder, { recursive: true })
  // In this folder: source maps have paths from here to the sources.
  mkdirSync(join(root, 'dist'), { recursive: true })
  const work = mkdtempSync(join(root, 'dist', '.packages-'))
  try {
    return PACKAGES.map((one) => build(one, { folder, work, architecture, node }))
  } finally {
    rmSync(work, { recursive: true })
  }
}

interface Target {
  readonly folder: string
  readonly work: string
  readonly architecture: string
  readonly node: string
}

function build(one: Package, { folder, work, architecture, node }: Target): string {
  const { name } = one
  const tree = join(work, name)
  const home = join(tree, 'usr', 'lib', name)
  mkdirSync(home, { recursive: true })
  if (one.bundle === 'portal') copyGatewayctl(node, home)
  else copyNode(node, home)
  // Not in the tree, which is deeper: source maps of all bundles begin alike.
  const bundle = join(work, one.bundle)
  execFileSync(process.execPath, [join(root, 'scripts', 'bundle.ts'), bundle, one.bundle], { stdio: 'inherit' })
  cpSync(bundle, join(home, one.bundle), { recursive: true })
  for (const file of one.files) cpSync(join(root, file), join(home, file), { recursive: true })
  copyFileSync(join(DEBIAN, 'prepare'), join(home, 'prepare'))
  addShared(one, tree)
  addUnits(one, tree)
  addDocumentation(one, tree)
  if (one.bundle === 'portal') link(tree, 'usr/bin/gatewayctl', `../lib/${name}/gatewayctl`)
  if (one.bundle === 'engine') {
    mkdirSync(join(tree, 'usr', 'sbin'))
    copyFileSync(join(DEBIAN, name), join(tree, 'usr', 'sbin', name))
  }
  return pack(one, tree, architecture, folder)
}

/** The files in /usr/share that the package's scripts, its users and administrators read. */
function addShared({ name, users }: Package, tree: string): void {
  write(tree, `usr/share/${name}/env`, readFileSync(join(DEBIAN, 'env')))
  write(tree, `usr/share/lintian/overrides/${name}`, readFileSync(join(DEBIAN, 'lintian', name)))
  const sysusers = readFileSync(join(root, 'deploy', 'systemd', 'gateway.sysusers'), 'utf8').split('\n')
  const lines = sysusers.filter((line) => {
    const [type = '', user = '', group = user] = line.split(' ')
    return ['u', 'g', 'm'].includes(type) && users.includes(user) && (type !== 'm' || users.includes(group))
  })
  write(tree, `usr/lib/sysusers.d/${name}.conf`, `${lines.join('\n')}\n`)
  if (name !== 'gateway-engine') return
  for (const path of ['policy.toml', 'holidays.txt', 'groups', 'lists']) {
    cpSync(join(root, 'deploy', 'engine', path), join(tree, 'usr', 'share', name, 'policy', path), { recursive: true })
  }
}

/** Units with the package's paths; before each service that has needs or secrets without a default, one that prepares it. */
function addUnits({ name, units, jobs, needs }: Package, tree: string): void {
  // Otherwise systemd enables them at the first start of a cloned machine.
  write(tree, `usr/lib/systemd/system-preset/50-${name}.preset`, units.map((unit) => `disable ${unit}\n`).join(''))
  for (const unit of [...units, ...jobs]) {
    const text = readFileSync(join(root, 'deploy', 'systemd', unit), 'utf8')
    write(
      tree,
      `usr/lib/systemd/system/${unit}`,
      text
        .replaceAll(`${BY_HAND}/docs/`, `/usr/share/doc/${name}/`)
        .replaceAll(BY_HAND, `/usr/lib/${name}`)
        .replace(`/etc/systemd/system/${HARDENING}`, `/usr/lib/systemd/system/${hardeningOf(unit)}`)
        .replaceAll(/\bsrc\/(portal|engine|proxy)\/main\.ts\b/g, '$1/main.js'),
    )
    if (unit.endsWith('.service')) addHardening(tree, unit)
  }
  for (const [service, settings] of Object.entries(needs)) {
    const text = readFileSync(join(root, 'deploy', 'systemd', `${service}.service`), 'utf8')
    const secrets = Array.from(
      text.matchAll(/^LoadCredential=.*:\/etc\/gateway\/secrets\/(\S+)$/gm),
      ([, secret]) => secret,
    ).filter((secret) => !text.includes(`\nSetCredential=${secret}:`))
    const values = { SERVICE: service, PACKAGE: name, NEEDS: [...settings, ...secrets].join(' ') }
    write(tree, `usr/lib/systemd/system/${service}-prepare.service`, filled('prepare.service', values))
    addHardening(tree, `${service}-prepare.service`)
    const requires = `usr/lib/systemd/system/${service}.service.requires`
    link(tree, `${requires}/${service}-prepare.service`, `../${service}-prepare.service`)
  }
}

function addHardening(tree: string, unit: string): void {
  const text = readFileSync(join(root, 'deploy', 'systemd', HARDENING))
  write(tree, `usr/lib/systemd/system/${hardeningOf(unit)}`, text)
}

function hardeningOf(unit: string): string {
  return HARDENING.replace('gateway-.service', unit)
}

function addDocumentation({ name }: Package, tree: string): void {
  const folder = `usr/share/doc/${name}`
  for (const path of globSync('docs/*.md', { cwd: root })) {
    write(tree, `${folder}/${basename(path)}`, readFileSync(join(root, path)))
  }
  write(tree, `${folder}/CHANGELOG.md`, readFileSync(join(root, 'CHANGELOG.md')))
  write(tree, `${folder}/copyright`, readFileSync(join(DEBIAN, 'copyright')))
  const entry = [
    `${name} (${packageJson.version}) unstable; urgency=medium`,
    '  * CHANGELOG.md has what changed, and what to do before an upgrade.',
    ` -- ${maintainer()}  ${new Date(sourceDate() * 1000).toUTCString().replace('GMT', '+0000')}`,
  ]
  write(tree, `${folder}/changelog.gz`, gzipSync(`${entry.join('\n\n')}\n`, { level: 9 }))
  const licences = runTimePackages().flatMap((path) => {
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: join(root, path) }).toSorted()
    const title = `==== ${packageName(path)} ${lockedPackages[path]?.version} (${lockedPackages[path]?.license}) ====`
    return [title, ...(file === undefined ? [] : [readFileSync(join(root, path, file), 'utf8').trim()])]
  })
  write(tree, `${folder}/third-party-licences.gz`, gzipSync(`${licences.join('\n\n')}\n`, { level: 9 }))
}

/** Writes the control files, and makes owners, modes and times independent of this machine. @returns the file's name */
function pack({ name, units, kept }: Package, tree: string, architecture: string, folder: string): string {
  const files = allFiles(tree)
  const sums = files.filter((path) => lstatSync(join(tree, path)).isFile())
  const bytes = sums.reduce((sum, path) => sum + lstatSync(join(tree, path)).size, 0)
  const stanza = readFileSync(join(DEBIAN, 'control'), 'utf8')
    .split('\n\n')
    .find((one) => one.startsWith(`Package: ${name}\n`))
  if (stanza === undefined) throw new Error(`deploy/debian/control has no ${name}`)
  const control = fill(stanza, {
    VERSION: packageJson.version,
    ARCHITECTURE: architecture,
    MAINTAINER: maintainer(),
    SIZE: `${Math.ceil(bytes / 1024)}`,
  })
  write(tree, 'DEBIAN/control', `${control.trim()}\n`)
  const digest = (path: string) =>
    createHash('md5')
      .update(readFileSync(join(tree, path)))
      .digest('hex')
  write(tree, 'DEBIAN/md5sums', sums.map((path) => `${digest(path)}  ${path}\n`).join(''))
  for (const script of ['postinst', 'prerm', 'postrm']) {
    write(tree, `DEBIAN/${script}`, filled(script, { PACKAGE: name, UNITS: units.join(' '), KEPT: kept.join(' ') }))
    chmodSync(join(tree, 'DEBIAN', script), 0o755)
  }
  if (name === 'gateway-squid') write(tree, 'DEBIAN/triggers', 'interest-noawait gateway-squid-restart\n')
  for (const path of ['', ...readdirSync(tree, { recursive: true, encoding: 'utf8' })].toSorted().toReversed()) {
    const file = join(tree, path)
    const { mode } = lstatSync(file)
    if (!lstatSync(file).isSymbolicLink())
      chmodSync(file, lstatSync(file).isDirectory() || mode & 0o100 ? 0o755 : 0o644)
    lutimesSync(file, sourceDate(), sourceDate())
  }
  const file = `${name}_${packageJson.version}_${architecture}.deb`
  // A higher level takes a minute more for each Node, and saves 5 MB of 38.
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, join(folder, file)], {
    env: { ...process.env, SOURCE_DATE_EPOCH: `${sourceDate()}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return file
}

/** Files and links, sorted. */
function allFiles(tree: string): readonly string[] {
  const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' }).toSorted()
  return paths.filter((path) => !lstatSync(join(tree, path)).isDirectory())
}

function write(tree: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  writeFileSync(join(tree, path), content)
}

function link(tree: string, path: string, target: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  symlinkSync(target, join(tree, path))
}

/** A file of deploy/debian with these values. */
function filled(file: string, values: Readonly<Record<string, string>>): string {
  return fill(readFileSync(join(DEBIAN, file), 'utf8'), values)
}

/** @param values by NAME, for `${NAME}` in the text */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z]+)\}/g, (found, name) => values[name] ?? found)
}

function maintainer(): string {
  return `${process.env.DEBFULLNAME ?? packageJson.name} <${MAINTAINER}>`
}

/** Seconds since the epoch: the time of every file. */
function sourceDate(): number {
  const given = process.env.SOURCE_DATE_EPOCH
  if (given !== undefined && /^\d+$/.test(given)) return Number(given)
  if (!existsSync(join(root, '.git')))
    throw new Error('without git, set SOURCE_DATE_EPOCH to the seconds of the release')
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }))
}
