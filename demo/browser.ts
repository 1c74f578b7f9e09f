// The command that opens a throw-away Chromium behind the demo's proxy.
import { createHash, X509Certificate } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { BehindProxy } from './start.ts'

/**
 * @param profile a folder for the browser's profile, created if it is missing; never a profile that somebody uses
 * @param page the first page
 */
export function chromiumArguments({ pacUrl, trusted }: BehindProxy, profile: string, page: string): readonly string[] {
  return [
    `--user-data-dir=${profile}`,
    `--proxy-pac-url=${pacUrl}`,
    `--ignore-certificate-errors-spki-list=${trusted.map(keyDigest).join(',')}`,
    '--no-first-run',
    '--disable-background-networking',
    // Chromium's sandbox does not work for root.
    ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
    page,
  ]
}

/** The SHA-256 digest of a certificate's public key (SPKI, DER) in base64, as Chromium's option has it. */
function keyDigest(certificate: string | Buffer): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** Whether a Chromium runs with this profile: its lock is a link to HOST-PID. */
export function isInUse(profile: string): boolean {
  try {
    const [pid] = readlinkSync(join(profile, 'SingletonLock')).match(/\d+$/) ?? []
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
