// Runs Squid: waits for the engine, starts Squid, follows what the engine publishes, and ends with Squid.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Basis, follow } from './follow.ts'
import { startHandshakeLog } from './handshakes/handshake-log.ts'
import { HOSTS_HELPER } from './hosts-helper.ts'
import { hasOptions } from './icap-service.ts'
import { inputsReader, readIcapAuthorities } from './inputs.ts'
import type { Machine } from './machine.ts'
import { reviver } from './revive.ts'
import { toEnvironment } from './ruled-hosts/hosts-service.ts'
import { directivesFault, type ProxySettings } from './settings/settings.ts'
import { signInReport } from './settings/sign-in-report.ts'
import { createConfigurations } from './squid/configuration.ts'
import { writeErrorPages } from './squid/error-page-files.ts'
import { kerberosRefusals } from './squid/kerberos-refusals.ts'
import { claimService, releaseService } from './squid/shared-memory.ts'
import { isIcapOutage, reportedLine } from './squid/squid-log.ts'
import { startSquid } from './squid/squid-process.ts'
import type { SquidProgram } from './squid/squid-program.ts'
import type { Templates } from './squid/templates.ts'
import { squidFiles } from './squid-files.ts'
import { waitForEngine } from './wait-for-engine.ts'

export interface SuperviseOptions {
  readonly settings: ProxySettings
  readonly squid: SquidProgram
  readonly templates: Templates
  readonly machine: () => Machine
  /** Writes a line to the log. */
  readonly report: (line: string) => void
  /** Between two looks for changes. */
  readonly pollMilliseconds: number
  /** Aborted to stop. */
  readonly signal: AbortSignal
}

const EXIT_MISCONFIGURED = 2

/** @returns the exit status: Squid's, 0 once it was told to stop, or 2 if Squid does not accept its configuration */
export async function supervise(options: SuperviseOptions): Promise<number> {
  const { settings, squid, templates, machine, report, signal } = options
  const { run, published } = settings
  mkdirSync(run, { recursive: true })
  // Started by root, Squid changes to its own user.
  chmodSync(run, 0o755)
  writeErrorPages(join(run, 'errors'), squid.errorTemplates, templates, settings)
  const configurations = createConfigurations(run, squid)
  const signIn = signInReport(settings.auth, report)
  signIn.check()
  const readInputs = inputsReader({ settings, report })
  const waiting = waitForEngine({ settings, machine, readInputs, signIn, report, signal })
  const basis = await waiting.catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (basis === undefined) return 0

  const handshakes = await startHandshakeLog({ folder: run, clock: Date.now, report })
  const given = {
    template: templates.squid,
    settings,
    squid,
    hostsHelper: HOSTS_HELPER,
    handshakeLog: handshakes.target,
  }
  const prepare = ({ inputs, certificateCache }: Basis) =>
    configurations.prepare((folder) => squidFiles({ ...given, folder, certificateCache, ...inputs }))
  const problem = await prepare(basis)
  if (problem !== undefined) {
    await handshakes.stop()
    report(`Squid does not accept the configuration: ${problem}`)
    return EXIT_MISCONFIGURED
  }
  configurations.activate()
  const service = claimService(run)
  const running = new AbortController()
  const revive = reviver({
    isServing: () => hasOptions(settings.icap, readIcapAuthorities(settings)),
    reconfigure() {
      const fault = unsafeFile(settings, templates)
      if (fault === undefined) child.reconfigure()
      report(fault ?? 'reconfigured: the ICAP service responds again')
    },
    signal: running.signal,
  })
  const isRefusal = kerberosRefusals(report, () => performance.now())
  const child = startSquid({
    env: { ...squid.env, ...toEnvironment({ ...settings.icap, token: settings.icapToken }) },
    configuration: configurations.path,
    service,
    onLine(line) {
      if (isRefusal(line)) return
      const reported = reportedLine(line)
      if (reported !== undefined) report(reported)
      if (isIcapOutage(line)) revive()
    },
  })
  const status = child.exited.finally(() => running.abort())
  if (signal.aborted) child.stop()
  signal.addEventListener('abort', () => child.stop())
  await follow({
    ...{ ...options, clock: Date.now, published, readInputs, basis, signIn, signal: running.signal },
    async apply(next) {
      const rejection = unsafeFile(settings, templates) ?? (await prepare(next))
      if (rejection === undefined) {
        configurations.activate()
        child.reconfigure()
      }
      return rejection
    },
  })
  await status
  await handshakes.stop()
  releaseService(run, service)
  return signal.aborted ? 0 : await status
}

/** The operator's files may have changed since the start. */
function unsafeFile({ auth, include }: ProxySettings, { squid }: Templates): string | undefined {
  for (const file of [auth, include]) {
    const fault = file === undefined ? undefined : directivesFault(file, squid)
    if (fault !== undefined) return `${file} ${fault}`
  }
  return undefined
}
