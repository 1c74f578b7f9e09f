// The Debian packages and the root of the machine that the checks install them on.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasCommand } from '../../test/support/requirement.ts'
import { EXIT_CANNOT_RUN } from '../check.ts'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What the packages depend on or recommend: the machine has no network. */
const INCLUDED =
  'age ca-certificates curl dbus iproute2 libatomic1 libstdc++6 nginx openssl squid-openssl systemd systemd-sysv'.split(
    ' ',
  )
const WEEK_MS = 7 * 86_400_000

/**
 * Exits with the status for a check that cannot run on this machine, if it cannot.
 * @param programs what the check needs in addition
 */
export function exitUnlessPossible(check: string, ...programs: readonly string[]): void {
  const reason = reasonNotToRun(programs)
  if (reason === undefined) return
  process.stderr.write(`${check}: cannot run: ${reason}\n`)
  process.exit(EXIT_CANNOT_RUN)
}

function reasonNotToRun(programs: readonly string[]): string | undefined {
  const lacking = ['dpkg-deb', 'mmdebstrap', 'nsenter', 'systemd-nspawn', ...programs].filter(
    (name) => !hasCommand(name),
  )
  if (process.getuid?.() !== 0) return 'only root can start the machine'
  if (process.arch !== 'x64') return 'it needs x64, which the tested packages are for'
  if (lacking.length === 0) return undefined
  return `${lacking.join(', ')} missing: apt-get install ${[...programs, 'mmdebstrap', 'systemd-container'].join(' ')}`
}

/** @returns a temporary folder, which goes when the process ends */
export function workFolder(): string {
  const work = mkdtempSync(join(tmpdir(), 'check-packages-'))
  process.once('exit', () => rmSync(work, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  return work
}

/** The Debian releases that the packages are for: what operators install today first. */
const SUITES = ['trixie', 'bookworm'] as const

/** @param value of the option `--suite`, which selects one */
export function selectSuites(value: string | undefined): readonly string[] {
  const selected = SUITES.filter((suite) => value === undefined || suite === value)
  if (selected.length > 0) return selected
  process.stderr.write(`--suite must be ${SUITES.join(' or ')}, not ${value}\n`)
  process.exit(2)
}

/**
 * Runs the tests on each Debian, and prints how each ended.
 * @param included Debian packages that the machine also has
 */
export function runOnEach(
  suites: readonly string[],
  file: string,
  variables: Readonly<Record<string, string>>,
  included: readonly string[] = [],
): number {
  const statuses = suites.map((suite) => {
    process.stdout.write(`== Debian ${suite}\n`)
    const isFirst = suite === suites[0] ? 'yes' : 'no'
    return runTests(file, { ...variables, PACKAGES_FIRST: isFirst, PACKAGES_BASE: createBase(suite, included) })
  })
  for (const [index, suite] of suites.entries()) {
    process.stdout.write(`== Debian ${suite}: ${statuses[index] === 0 ? 'passed' : 'failed'}\n`)
  }
  return statuses.find((status) => status !== 0) ?? 0
}

/** @param more Debian packages that the machine also has. @returns the archive of a Debian root */
function createBase(suite: string, more: readonly string[]): string {
  const included = [...INCLUDED, ...more].join(',')
  const folder = join(ROOT, 'node_modules', '.cache')
  const digest = createHash('sha256').update(included).digest('hex').slice(0, 8)
  const base = join(folder, `${suite}-${digest}.tar`)
  if (existsSync(base) && Date.now() - statSync(base).mtimeMs < WEEK_MS) return base
  process.stderr.write(`packages: creating the machine's root (${suite})\n`)
  mkdirSync(folder, { recursive: true })
  runOrThrow('mmdebstrap', [
    ...['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io', `--include=${included}`],
    ...[suite, base],
  ])
  return base
}

/** Builds the packages of these sources. */
export function build(root: string, folder: string): void {
  process.stderr.write('packages: building\n')
  const env = { ...process.env, SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? '1795392000' }
  runOrThrow(process.execPath, [join(root, 'scripts', 'packages.ts'), folder], env)
}

/** @returns the exit status */
function runTests(file: string, variables: Readonly<Record<string, string>>): number {
  const args = ['--test', '--test-reporter=spec', '--test-timeout=900000', file]
  return spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...variables } }).status ?? 1
}

function runOrThrow(program: string, args: readonly string[], env = process.env): void {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env })
  if (status !== 0) throw new Error(`${program} failed`)
}
