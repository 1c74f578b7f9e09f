// The other checkout of a comparison: an existing folder, or a revision unpacked into a folder of this run.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * @param root this checkout
 * @param work for the files of a revision
 * @returns the folder, with dependencies
 * @throws {Error} when the revision does not exist, or its dependencies are not installed
 */
export function baseCheckout(root: string, base: string, work: string): string {
  if (existsSync(join(base, 'package.json'))) {
    if (!existsSync(join(base, 'node_modules'))) throw new Error(`${base} has no node_modules: run npm ci there`)
    return resolve(base)
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  let commit: string
  try {
    commit = git('rev-parse', '--verify', '--quiet', `${base}^{commit}`)
  } catch {
    throw new Error(`${base} is neither a revision of this repository nor a folder with a checkout`)
  }
  const folder = join(work, 'base')
  mkdirSync(folder)
  git('archive', '--output', join(work, 'base.tar'), commit)
  execFileSync('tar', ['-C', folder, '-xf', join(work, 'base.tar')])
  if (lockedPackages(folder) !== lockedPackages(root)) {
    throw new Error(`${base} has other dependencies: name the folder of a checkout where they are installed`)
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** @returns the lockfile's packages without this project's entry, which contains its version */
function lockedPackages(folder: string): string {
  const { '': _, ...packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
  return JSON.stringify(packages)
}
