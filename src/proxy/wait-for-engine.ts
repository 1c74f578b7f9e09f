// What a start waits for, because Squid would not start, or refuse every request.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Basis } from './follow.ts'
import { hasOptions } from './icap-service.ts'
import { interceptionCa, interceptionCaFile, type ReadInputs, readIcapAuthorities } from './inputs.ts'
import type { Machine } from './machine.ts'
import type { ProxySettings } from './settings/settings.ts'
import type { SignInReport } from './settings/sign-in-report.ts'

export interface WaitOptions {
  readonly settings: ProxySettings
  readonly machine: () => Machine
  readonly readInputs: ReadInputs
  readonly signIn: Pick<SignInReport, 'keytab'>
  readonly report: (line: string) => void
  readonly signal: AbortSignal
}

const POLL_MILLISECONDS = 1_000

/**
 * Waits for the CA, for the ICAP service, and until what is published is valid.
 * @throws {Error} when the signal aborts
 */
export async function waitForEngine(options: WaitOptions): Promise<Basis> {
  const { settings, machine, readInputs, signIn, report, signal } = options
  const { published, icap } = settings
  let reported = ''
  const pause = async (reason: string) => {
    if (reported !== reason) report(reason)
    reported = reason
    await sleep(POLL_MILLISECONDS, undefined, { signal })
  }
  while (interceptionCa(published) === '') {
    await pause(`waiting for ${interceptionCaFile(published)}, which the engine publishes`)
  }
  while (!(await hasOptions(icap, readIcapAuthorities(settings)))) {
    await pause(`waiting for the engine's ICAP service at ${icap.url}`)
  }
  for (;;) {
    const inputs = readInputs(machine())
    if (!('reason' in inputs)) {
      return { inputs, ca: interceptionCa(published), keytab: signIn.keytab(), certificateCache: '4MB' }
    }
    await pause(`${inputs.reason}; waiting for the engine to correct it`)
  }
}
