// Which of the programs that the demo can use are installed here, and how to install the others.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a program; undefined where it is not installed. */
function find(name: string): string | undefined {
  if (process.platform === 'win32') return undefined
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

export function hasNginx(): boolean {
  return find('nginx') !== undefined
}

/** Whether Squid is installed and can decrypt: Debian's package `squid`, for example, cannot. */
export function hasSquid(): boolean {
  const squid = find('squid')
  if (squid === undefined) return false
  const { stdout } = spawnSync(squid, ['-v'], { encoding: 'utf8', timeout: 5000 })
  return /--with-openssl/.test(stdout) && /--enable-ssl-crtd/.test(stdout)
}

/** The path of Chromium or Chrome; undefined where there is none. */
export function findChromium(): string | undefined {
  return BROWSERS.map(find).find((path) => path !== undefined)
}

/** The Debian packages that are missing for the proxy, its portal and the browser. */
export function missingPackages(): readonly string[] {
  return [
    ...(hasSquid() ? [] : ['squid-openssl']),
    ...(hasNginx() ? [] : ['nginx']),
    ...(findChromium() === undefined ? ['chromium'] : []),
  ]
}
