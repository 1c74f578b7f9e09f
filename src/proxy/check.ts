// `--check`: what a start would find, without changing anything.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { readFault } from '../settings/file.ts'
import type { Listener } from '../settings/sections/proxy-shapes.ts'
import { type CheckedListener, checkListeners } from '../start/check-listeners.ts'
import { type CheckResult, joinResults, printCheck } from '../start/check-result.ts'
import { HOSTS_HELPER } from './hosts-helper.ts'
import { hasOptions } from './icap-service.ts'
import { type Inputs, inputsReader, interceptionCa, interceptionCaFile, readIcapAuthorities } from './inputs.ts'
import { interfaceAddresses, type Machine } from './machine.ts'
import type { ProxySettings } from './settings/settings.ts'
import { createConfigurations } from './squid/configuration.ts'
import type { SquidProgram } from './squid/squid-program.ts'
import type { Templates } from './squid/templates.ts'
import { squidFiles } from './squid-files.ts'

export interface CheckOptions {
  readonly settings: ProxySettings
  readonly squid: SquidProgram
  readonly templates: Templates
  readonly machine: () => Machine
}

const GOOD: CheckResult = { problems: [], warnings: [] }
const problem = (text: string): CheckResult => ({ problems: [text], warnings: [] })
const warning = (text: string): CheckResult => ({ problems: [], warnings: [text] })

/** Prints what it finds. @param warnings about the settings @returns the exit status */
export async function checkStart(options: CheckOptions, warnings: readonly string[]): Promise<0 | 2> {
  const { settings } = options
  const results = await Promise.all([
    { problems: [], warnings },
    checkPublished(options),
    checkIcap(settings),
    checkPorts(settings),
  ])
  return printCheck(joinResults(results), 'no problems')
}

async function checkPublished(options: CheckOptions): Promise<CheckResult> {
  const { published } = options.settings
  const missing: string[] = []
  const inputs = inputsReader({ ...options, report: (line) => missing.push(line) })(options.machine())
  if (interceptionCa(published) === '') {
    return warning(`${interceptionCaFile(published)} cannot be read: a start waits for the engine to publish it`)
  }
  if ('reason' in inputs) return warning(`${inputs.reason}: a start waits for the engine to correct it`)
  return joinResults([{ problems: [], warnings: missing }, await checkConfiguration(options, inputs)])
}

/** In a folder of its own, which is removed. */
async function checkConfiguration({ settings, squid, templates }: CheckOptions, inputs: Inputs): Promise<CheckResult> {
  let created: string | undefined
  try {
    created = mkdirSync(settings.run, { recursive: true })
    const run = mkdtempSync(join(settings.run, 'check-'))
    created ??= run
    const given = {
      settings: { ...settings, run },
      squid,
      template: templates.squid,
      certificateCache: '4MB',
      hostsHelper: HOSTS_HELPER,
    } as const
    const found = await createConfigurations(run, squid).prepare((folder) =>
      squidFiles({ ...given, ...inputs, folder }),
    )
    return found === undefined ? GOOD : problem(`Squid does not accept the configuration: ${found}`)
  } catch (error) {
    return problem(`PROXY_RUN must name a folder that can be created or written to; ${readFault(error)}`)
  } finally {
    if (created !== undefined) rmSync(created, { recursive: true })
  }
}

async function checkIcap(settings: ProxySettings): Promise<CheckResult> {
  if (await hasOptions(settings.icap, readIcapAuthorities(settings))) return GOOD
  return warning(`the engine's ICAP service at ${settings.icap.url} does not respond: a start waits for it`)
}

function checkPorts({ listen, transparentHttp, transparentHttps }: ProxySettings): Promise<CheckResult> {
  const [first, ...others] = listen
  return checkListeners({
    program: 'the proxy',
    listeners: [
      checkedListener('PROXY_LISTEN', first),
      ...others.map((listener) => checkedListener('PROXY_LISTEN', listener)),
      ...transparentHttp.map((listener) => checkedListener('PROXY_TRANSPARENT_HTTP', listener)),
      ...transparentHttps.map((listener) => checkedListener('PROXY_TRANSPARENT_HTTPS', listener)),
    ],
    protocol: 'proxy',
  })
}

function checkedListener(setting: string, { address, port }: Listener): CheckedListener {
  return { setting, host: address ?? (interfaceAddresses()?.some(isIPv6) ? '::' : '0.0.0.0'), port }
}
