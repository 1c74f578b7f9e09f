// The store of certificates that a browser on Linux reads in somebody's home.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the store, and puts the CA into it. */
export function trustCa(home: string, caFile: string): void {
  const store = join(home, '.pki', 'nssdb')
  mkdirSync(store, { recursive: true })
  const certutil = (...parameters: string[]) => execFileSync('certutil', ['-d', `sql:${store}`, ...parameters])
  certutil('-N', '--empty-password')
  certutil('-A', '-n', 'Interception CA', '-t', 'C,,', '-i', caFile)
}
