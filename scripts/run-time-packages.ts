// The lockfile's entries of the packages that the programs of this repository need at run time.
import { readFileSync } from 'node:fs'
import packageJson from '#package' with { type: 'json' }

interface LockedPackage {
  readonly version: string
  /** `sha512-` and base64. */
  readonly integrity: string
  /** The package's SPDX expression. */
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** By folder: `node_modules/pg`. */
export const lockedPackages: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
).packages

/** Packages that only the engine needs: they are neither in the portal's image nor in the archives of a release. */
export const ENGINE_ONLY = ['@peculiar/x509', 'reflect-metadata']

const SHIPPED = Object.keys(packageJson.dependencies).filter((name) => !ENGINE_ONLY.includes(name))

/** @returns folders of these packages and all their dependencies in the lockfile, without optional packages */
function withDependencies(names: readonly string[]): readonly string[] {
  const found = new Set(names.map((name) => folderOf(name, '')))
  // The loop also visits folders that it adds.
  for (const path of found) for (const dependency of dependenciesOf(path)) found.add(dependency)
  return [...found]
}

/** @returns folders of the direct dependencies of the package in this folder */
export function dependenciesOf(path: string): readonly string[] {
  return Object.keys(lockedPackages[path]?.dependencies ?? {}).map((name) => folderOf(name, path))
}

/** @returns folders of the run-time packages of all programs */
export function runTimePackages(): readonly string[] {
  return withDependencies(Object.keys(packageJson.dependencies))
}

/** @returns folders of the run-time packages of portal and gatewayctl */
export function shippedPackages(): readonly string[] {
  return withDependencies(SHIPPED)
}

/** `@scope/name` of `node_modules/a/node_modules/@scope/name`. */
export function packageName(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** @returns the folder in which Node finds this package, from that folder */
function folderOf(name: string, from: string): string {
  const path = searchFolders(name, from).find((place) => place in lockedPackages)
  if (path === undefined) throw new Error(`${name} is not in the lockfile`)
  return path
}

/** @returns the folders that Node searches for a package, the nearest first */
function searchFolders(name: string, from: string): readonly string[] {
  const below = from === '' ? [] : [`${from}/node_modules/${name}`]
  const parent = from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : ''
  return from === '' ? [`node_modules/${name}`] : [...below, ...searchFolders(name, parent)]
}
