// Follows what Squid's configuration is made of, and reconfigures Squid when it has changed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Inputs, interceptionCa, interceptionCaFile, type ReadInputs } from './inputs.ts'
import type { Machine } from './machine.ts'
import type { SignInReport } from './settings/sign-in-report.ts'
import { fingerprint } from './watched-files.ts'

/** What a configuration is made of, besides the settings. */
export interface Basis {
  readonly inputs: Inputs
  /** The CA that Squid signs with. */
  readonly ca: string
  /** Squid's helpers read it at their start only; undefined without one that is good. */
  readonly keytab: string | undefined
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
  readonly signIn: SignInReport
  readonly report: (line: string) => void
  readonly pollMilliseconds: number
  /** Milliseconds of this machine's clock, which may be set back. */
  readonly clock: () => number
  readonly signal: AbortSignal
}

/**
 * How long Squid caches no certificates after a change of the CA. A connection that it accepted before keeps the previous CA, and
 * may still wait for the helper, which restarts: its certificate would be the one that all later connections get.
 */
const UNCACHED_MILLISECONDS = 10_000

/** Resolves when the signal aborts. */
export async function follow(options: FollowOptions): Promise<void> {
  const { published, machine, readInputs, apply, signIn, report, pollMilliseconds, clock, signal } = options
  const watched = [join(published, 'proxy'), interceptionCaFile(published), join(published, 'ca'), ...signIn.files]
  let { basis } = options
  let seen: unknown
  let complaint: string | undefined
  let uncachedUntil = 0
  let time = clock()
  /** Until Squid has been reconfigured: it would use what it remembers of the seconds that repeat. */
  let isSetBack = false

  async function check(): Promise<void> {
    // Checking every line costs a tenth of a core, so it is done only after a change, or while a problem remains.
    const own = machine()
    const now = [fingerprint(watched), own]
    isSetBack ||= clock() < time
    time = clock()
    const isSettled = complaint === undefined && basis.certificateCache === '4MB' && !isSetBack
    if (isDeepStrictEqual(now, seen) && isSettled) return
    seen = now
    signIn.check()
    const read = readInputs(own)
    let problem = 'reason' in read ? read.reason : undefined
    // A renewed CA does not wait until the lists are correct again.
    const inputs = 'reason' in read ? basis.inputs : read
    const ca = interceptionCa(published) || basis.ca
    if (ca !== basis.ca) uncachedUntil = performance.now() + UNCACHED_MILLISECONDS
    const keytab = signIn.keytab() ?? basis.keytab
    const next: Basis = { inputs, ca, keytab, certificateCache: performance.now() < uncachedUntil ? '0KB' : '4MB' }
    const why = changeOf(next)
    if (why !== undefined) {
      const rejection = await apply(next)
      if (rejection === undefined) {
        basis = next
        isSetBack = false
        report(`reconfigured: ${why}`)
      }
      problem = rejection ?? problem
    }
    if (problem !== undefined && problem !== complaint) report(`${problem}; the proxy keeps its configuration`)
    complaint = problem
  }

  function changeOf({ inputs, ca, keytab, certificateCache }: Basis): string | undefined {
    if (keytab !== basis.keytab) return 'the keytab has changed'
    if (ca !== basis.ca) return "the proxy's CA has changed"
    if (certificateCache !== basis.certificateCache) return 'certificates are cached again'
    if (isSetBack) return "this machine's clock was set back"
    if (isDeepStrictEqual(inputs, basis.inputs)) return undefined
    return 'what the engine publishes, or an address of this machine, has changed'
  }

  while (!signal.aborted) {
    await sleep(pollMilliseconds, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await check()
  }
}
