// Records which checks have passed for a commit, in a file that git ignores and `npm run release` reads. Only the whole
// form of a check on a clean work tree counts.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Record {
  readonly commit: string
  /** For each check, when it passed (RFC 3339). */
  readonly passed: Readonly<{ [name: string]: string }>
}

const FILE = '.checks.json'

/** HEAD; undefined with uncommitted changes, untracked files or without git. */
export function cleanCommit(root: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined
  } catch {
    return undefined
  }
}

export function passedChecks(root: string, commit: string): ReadonlySet<string> {
  const record = read(root)
  return new Set(record?.commit === commit ? Object.keys(record.passed) : [])
}

/** Passes of other commits are dropped. */
export function recordPass(root: string, commit: string, name: string, now: Date): void {
  const record = read(root)
  const passed = record?.commit === commit ? record.passed : {}
  const next: Record = { commit, passed: { ...passed, [name]: now.toISOString() } }
  writeFileSync(join(root, FILE), `${JSON.stringify(next, undefined, 2)}\n`)
}

/** Why a release is refused; undefined when every required check has passed for the clean commit. */
export function releaseRefusal(root: string, required: readonly string[]): string | undefined {
  const commit = cleanCommit(root)
  if (commit === undefined) return 'the work tree has uncommitted changes'
  const passed = passedChecks(root, commit)
  const missing = required.filter((name) => !passed.has(name))
  if (missing.length === 0) return undefined
  return `npm run check -- --all has not passed for ${commit.slice(0, 7)}; missing: ${missing.join(', ')}`
}

function read(root: string): Record | undefined {
  const file = join(root, FILE)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
