// What a test needs beyond Node: where it is missing the test is skipped with one line that says what to install, and
// where everything has to be there (REQUIRE_ALL=1) it fails. REQUIRE_ALL_BUT names what may be missing all the same,
// separated by commas.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The `skip` option of a test or suite: false, or why it is skipped.
 * @param name for REQUIRE_ALL_BUT, where Debian has no package of it
 */
export function skipUnless(available: boolean, install: string, name?: string): string | false {
  if (available) return false
  const { REQUIRE_ALL, REQUIRE_ALL_BUT = '' } = process.env
  const mayBeMissing = name !== undefined && REQUIRE_ALL_BUT.split(',').includes(name)
  if (REQUIRE_ALL === '1' && !mayBeMissing) throw new Error(`REQUIRE_ALL is set, but something is missing: ${install}`)
  return install
}

const CHROMIUM_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The system's Chromium; undefined where there is none. */
export const chromiumPath = CHROMIUM_PLACES.find((place) => existsSync(place))

const FIREFOX_PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

/** The system's Firefox; undefined where there is none. */
export const firefoxPath = FIREFOX_PLACES.find((place) => existsSync(place))

export const WITHOUT_CHROMIUM = 'needs Chromium: apt-get install chromium (or your system’s package of that name)'

export const skipWithoutChromium = skipUnless(chromiumPath !== undefined, WITHOUT_CHROMIUM)

/** Whether this machine has a command of that name. */
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
  ['/usr/bin/certutil', '/usr/local/bin/certutil', '/opt/homebrew/bin/certutil'].some((place) => existsSync(place)),
  'needs certutil: apt-get install libnss3-tools',
)
