// What tests need beyond Node: if it is missing, the test is skipped with a line that says what to install, or fails
// with REQUIRE_ALL=1. REQUIRE_ALL_BUT lists exceptions, separated by commas.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The `skip` option of a test or suite: false, or why it is skipped.
 * @param name for REQUIRE_ALL_BUT, where Debian has no package of it
 */
export function skipUnless(available: boolean, install: string, name?: string): string | false {
  if (available) return false
  if (!mayBeMissing(name)) throw new Error(`REQUIRE_ALL is set, but something is missing: ${install}`)
  return install
}

/** @param name as in REQUIRE_ALL_BUT */
export function mayBeMissing(name?: string): boolean {
  const { REQUIRE_ALL, REQUIRE_ALL_BUT = '' } = process.env
  return REQUIRE_ALL !== '1' || (name !== undefined && REQUIRE_ALL_BUT.split(',').includes(name))
}

const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The system's Chromium; undefined where there is none. */
export const chromiumPath = CHROMIUM_PATHS.find((path) => existsSync(path))

const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/** The system's headless shell of Chromium, which opens a page with a quarter of the CPU time; undefined where there is none. */
export const headlessShellPath = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : undefined

const FIREFOX_PATHS = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

/** The system's Firefox; undefined where there is none. */
export const firefoxPath = FIREFOX_PATHS.find((path) => existsSync(path))

export const WITHOUT_CHROMIUM = 'needs Chromium: apt-get install chromium (or your system’s package of that name)'

export const skipWithoutChromium = skipUnless(chromiumPath !== undefined, WITHOUT_CHROMIUM)

/** @returns whether this machine has a command of that name */
export function hasCommand(name: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
}

export const skipWithoutLinux = skipUnless(process.platform === 'linux', 'needs Linux')

export const skipWithoutDevFull = skipUnless(existsSync('/dev/full'), 'needs /dev/full, which Linux has')

export const skipWithoutOpenssl = skipUnless(hasCommand('openssl'), 'needs OpenSSL: apt-get install openssl')

export const skipWithoutFirefox = skipUnless(
  firefoxPath !== undefined,
  'needs Firefox: apt-get install firefox-esr (or your system’s package of that name)',
)

/** For putting a CA into a browser's store. */
export const skipWithoutCertutil = skipUnless(
  ['/usr/bin/certutil', '/usr/local/bin/certutil', '/opt/homebrew/bin/certutil'].some((path) => existsSync(path)),
  'needs certutil: apt-get install libnss3-tools',
)
