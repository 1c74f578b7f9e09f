// The certificate stores of browsers on Linux: Chromium's in a home folder, Firefox's in a profile.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Creates the store that Chromium reads, with these CAs. */
export function trustCa(home: string, ...caFiles: readonly string[]): void {
  createStore(join(home, '.pki', 'nssdb'), caFiles)
}

/** Creates a profile of Firefox that trusts these CAs. */
export function trustInFirefox(profile: string, ...caFiles: readonly string[]): void {
  createStore(profile, caFiles)
}

function createStore(folder: string, caFiles: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  const certutil = (...parameters: string[]) =>
    execFileSync('certutil', ['-d', `sql:${folder}`, ...parameters], { timeout: 20_000 })
  certutil('-N', '--empty-password')
  for (const file of caFiles) certutil('-A', '-n', file, '-t', 'C,,', '-i', file)
}
