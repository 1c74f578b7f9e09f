// The process: command line, settings, Squid; exits with Squid, or on a signal.

import packageJson from '#package' with { type: 'json' }
import { createLogOutput, STANDARD_ERROR } from '../observability/log-output.ts'
import { envFileRemains } from '../settings/env-file-remains.ts'
import { unknownNamesWith, variableNames } from '../settings/names.ts'
import { ConfigProblems } from '../settings/problems.ts'
import type { Environment } from '../settings/reading.ts'
import { proxy } from '../settings/sections/proxy.ts'
import { parseCommandLine } from '../start/command-line.ts'
import { HELP } from './help.ts'
import type { Machine } from './machine.ts'
import { loadSettings, type ProxySettings } from './settings/settings.ts'
import { findSquid, type SquidProgram } from './squid/squid-program.ts'
import type { Templates } from './squid/templates.ts'
import { supervise } from './supervise.ts'

export interface ProxyOptions {
  readonly env: Environment
  /** After the program's name. */
  readonly args: readonly string[]
  readonly templates: Templates
  readonly machine: (isInContainer: boolean) => Machine
  readonly pollMilliseconds: number
}

const EXIT_MISCONFIGURED = 2

/** Never returns. */
export async function runProxy({ env, args, templates, machine, pollMilliseconds }: ProxyOptions): Promise<never> {
  // The token and the CA's key are for Squid alone.
  process.umask(0o077)
  const stop = new AbortController()
  // Registered first: as process 1 of a container it would otherwise ignore these signals. A second one does not wait for Squid.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => (stop.signal.aborted ? process.exit(1) : stop.abort()))
  }
  const action = readCommandLine(args)
  const { settings, squid } = loadOrExit(env, templates.squid)
  const ownMachine = () => machine(settings.isInContainer)
  const names = variableNames([proxy])
  const warnings = [...unknownNamesWith('PROXY_', env, names), ...envFileRemains(env, names)]
  if (action === 'check') {
    const { checkStart } = await import('./check.ts')
    process.exit(await checkStart({ settings, squid, templates, machine: ownMachine }, warnings))
  }
  const report = startLog()
  for (const warning of warnings) report(`warning: ${warning}`)
  const { signal } = stop
  const options = { settings, squid, templates, machine: ownMachine, report, pollMilliseconds, signal }
  process.exit(await supervise(options))
}

function readCommandLine(args: readonly string[]): 'run' | 'check' {
  try {
    const action = parseCommandLine(args)
    if (action === 'run' || action === 'check') return action
    process.stdout.write(action === 'help' ? HELP : `${packageJson.version}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`)
    process.exit(EXIT_MISCONFIGURED)
  }
}

function loadOrExit(env: Environment, template: string): { settings: ProxySettings; squid: SquidProgram } {
  const squid = findSquid(env)
  const problems: string[] = 'reason' in squid ? [squid.reason] : []
  try {
    const settings = loadSettings(env, template)
    if (!('reason' in squid)) return { settings, squid }
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    problems.push(...error.problems)
  }
  process.stderr.write(`${new ConfigProblems(problems).message}\n`)
  process.exit(EXIT_MISCONFIGURED)
}

/** Lines on standard error, which nobody may read: they are dropped then, and Squid is not kept waiting. */
function startLog(): (line: string) => void {
  const report = (line: string) => output.write(`proxy: ${line}\n`)
  const output = createLogOutput(
    (lines) => report(`${lines} lines of this log were lost: standard error was not read`),
    STANDARD_ERROR,
  )
  process.on('exit', () => output.finish())
  process.on('uncaughtException', (error) => {
    report(`unexpected error; stopping: ${error.stack}`)
    process.exit(1)
  })
  return report
}
