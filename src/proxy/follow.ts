// Follows what Squid's configuration is made of, and reconfigures Squid when it has changed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Inputs, interceptionCa, interceptionCaFile, type ReadInputs } from './inputs.ts'
import type { Machine } from './machine.ts'
import type { PasswordReport } from './password-report.ts'
import { fingerprint } from './watched-files.ts'

/** What a configuration is made of, besides the settings. */
export interface Basis {
  readonly inputs: Inputs
  /** The CA that Squid signs with. */
  readonly ca: string
  /** Squid keeps certificates that a previous CA signed; with a cache of 0 KB it drops them. */
  readonly certificateCache: '4MB' | '0KB'
}

export interface FollowOptions {
  /** The folder that the engine publishes into. */
  readonly published: string
  readonly machine: () => Machine
  readonly readInputs: ReadInputs
  /** Of the configuration in force. */
  readonly basis: Basis
  /** Reconfigures Squid. @returns why Squid keeps its configuration instead */
  readonly apply: (next: Basis) => Promise<string | undefined>
  readonly passwords: PasswordReport
  readonly report: (line: string) => void
  readonly pollMilliseconds: number
  readonly signal: AbortSignal
}

/** Resolves when the signal aborts. */
export async function follow(options: FollowOptions): Promise<void> {
  const { published, machine, readInputs, apply, passwords, report, pollMilliseconds, signal } = options
  const watched = [join(published, 'proxy'), interceptionCaFile(published), join(published, 'ca'), ...passwords.files]
  let { basis } = options
  let seen: unknown
  let complaint: string | undefined

  async function check(): Promise<void> {
    // Checking every line costs a tenth of a core, so it is done only after a change, or while a problem remains.
    const now = [fingerprint(watched), machine()]
    if (isDeepStrictEqual(now, seen) && complaint === undefined && basis.certificateCache === '4MB') return
    seen = now
    passwords.check()
    const read = readInputs()
    let problem = 'reason' in read ? read.reason : undefined
    // A renewed CA does not wait until the lists are correct again.
    const inputs = 'reason' in read ? basis.inputs : read
    const ca = interceptionCa(published) || basis.ca
    const why = reasonFor(inputs, ca)
    if (why !== undefined) {
      const next: Basis = { inputs, ca, certificateCache: ca === basis.ca ? '4MB' : '0KB' }
      const rejection = await apply(next)
      if (rejection === undefined) {
        basis = next
        report(`reconfigured: ${why}`)
      }
      problem = rejection ?? problem
    }
    if (problem !== undefined && problem !== complaint) report(`${problem}; the proxy keeps its configuration`)
    complaint = problem
  }

  function reasonFor(inputs: Inputs, ca: string): string | undefined {
    if (ca !== basis.ca) return "the proxy's CA has changed"
    if (basis.certificateCache === '0KB') return 'certificates are cached again'
    if (isDeepStrictEqual(inputs, basis.inputs)) return undefined
    return 'what the engine publishes, or an address of this machine, has changed'
  }

  while (!signal.aborted) {
    await sleep(pollMilliseconds, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await check()
  }
}
