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
