// Lists for the engine's benchmark: names of various lengths and depths, the same in every run.
import { closeSync, openSync, writeSync } from 'node:fs'

const SUBDOMAINS = ['', '', 'www.', 'ads.']
const TOP_LEVELS = ['com', 'net', 'org', 'de', 'ch', 'info', 'xyz', 'co.uk']
const NAMES_PER_WRITE = 10_000

/** @returns the name on this line of every list that is long enough */
export function listedName(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  const word = mixed.toString(36).repeat(1 + (mixed & 1))
  const subdomain = SUBDOMAINS[(mixed >>> 8) % SUBDOMAINS.length]
  return `${subdomain}${word}-${index.toString(36)}.${TOP_LEVELS[(mixed >>> 16) % TOP_LEVELS.length]}`
}

/** @param prefix of each name */
export function writeList(path: string, names: number, prefix = ''): void {
  const file = openSync(path, 'w')
  for (let first = 0; first < names; first += NAMES_PER_WRITE) {
    const count = Math.min(NAMES_PER_WRITE, names - first)
    writeSync(file, Array.from({ length: count }, (_, index) => `${prefix}${listedName(first + index)}\n`).join(''))
  }
  closeSync(file)
}

const URLS_PER_HOST = 8

/** @returns the host of the URL on this line of every file of URLs that is long enough */
export function urlHost(index: number): string {
  return `blog-${Math.floor(index / URLS_PER_HOST).toString(36)}.pages.example`
}

/** Paths of various lengths, on an eighth as many hosts. */
export function writeUrls(path: string, urls: number): void {
  const file = openSync(path, 'w')
  for (let first = 0; first < urls; first += NAMES_PER_WRITE) {
    const count = Math.min(NAMES_PER_WRITE, urls - first)
    writeSync(
      file,
      Array.from({ length: count }, (_, index) => `${urlHost(first + index)}${urlPath(first + index)}\n`).join(''),
    )
  }
  closeSync(file)
}

/** @returns its path, which begins with a slash */
export function urlPath(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  return `/${(mixed >>> 8).toString(36)}${'/gallery'.repeat(mixed & 1)}/${index.toString(36)}`
}
