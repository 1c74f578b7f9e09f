// The proxy's settings, with everything that it requires; every problem at once.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readFault, readRegularFile, readRegularFileStart } from '../../settings/file.ts'
import { ConfigProblems } from '../../settings/problems.ts'
import { type Environment, type Reading, startReading } from '../../settings/reading.ts'
import { type ProxySection, proxy as proxySection } from '../../settings/sections/proxy.ts'
import { kerberosKeys, keytabFault } from './keytab.ts'
import { openingDirective } from './opening-directives.ts'

type Section = ProxySection['proxy']

export interface ProxySettings extends Section {
  readonly clients: NonNullable<Section['clients']>
  readonly portal: URL
  readonly icapToken: string
}

/** What squid.conf can hold. */
const TOKEN = /^[A-Za-z0-9._~+/=:@,-]{16,512}$/
const MAXIMUM_BYTES = 64 * 1024

/**
 * @param template deploy/proxy/squid.conf, whose access lists the files of PROXY_AUTH and PROXY_INCLUDE must not extend
 * @throws {ConfigProblems}
 */
export function loadSettings(env: Environment, template: string): ProxySettings {
  const reading = startReading(env, (path) => readRegularFileStart(path, MAXIMUM_BYTES))
  const { proxy } = proxySection.read(reading)
  const { clients, portal, icapTokenFile, auth, include } = proxy
  if (clients === undefined) reading.problem('PROXY_CLIENTS', 'must be set')
  if (portal === undefined) {
    reading.problem('PROXY_PORTAL', 'must be set, or GATEWAY_CAPTIVE_BASE_URL, or GATEWAY_CAPTIVE_HOSTNAME')
  }
  if (icapTokenFile === undefined) reading.problem('PROXY_ICAP_TOKEN_FILE', 'must be set')
  const icapToken = readToken(icapTokenFile, reading)
  for (const [name, path] of [
    ['PROXY_ORIGIN_CA', proxy.originCa],
    ['PROXY_HOSTS', proxy.hosts],
  ] as const) {
    const fault = path === undefined ? undefined : reading.file(path).fault
    if (fault !== undefined) reading.problem(name, fault)
  }
  for (const [name, path] of [
    ['PROXY_AUTH', auth],
    ['PROXY_INCLUDE', include],
  ] as const) {
    const fault = path === undefined ? undefined : directivesFault(path, template)
    if (fault !== undefined) reading.problem(name, fault)
  }
  const logFault = accessLogFault(proxy.accessLog)
  if (logFault !== undefined) reading.problem('PROXY_ACCESS_LOG', logFault)
  const problems = reading.problems()
  if (problems.length > 0 || clients === undefined || portal === undefined) throw new ConfigProblems(problems)
  return { ...proxy, clients, portal, icapToken }
}

function readToken(path: string | undefined, reading: Reading): string {
  const { bytes, fault } = path === undefined ? {} : reading.file(path)
  const token = Buffer.from(bytes ?? [])
    .toString()
    .trim()
  const rule =
    'must name a file with 16 to 512 letters, digits and any of . _ ~ + / = : @ , - (openssl rand -base64 33 creates one)'
  if (!TOKEN.test(token)) reading.problem('PROXY_ICAP_TOKEN_FILE', fault ?? rule)
  return token
}

/** Why Squid must not include this file, now or after a change of it: "must …". */
export function directivesFault(path: string, template: string): string | undefined {
  try {
    const text = `${Buffer.from(readRegularFile(path))}`
    const opening = openingDirective(text, template)
    if (opening !== undefined) return `must not contain '${opening}': it could open what squid.conf closes`
    const keys = kerberosKeys(text)
    const fault = keys && keytabFault(keys)
    return fault && `must not name a keytab ${fault}`
  } catch (error) {
    return `must name a file that can be read (${readFault(error)})`
  }
}

function accessLogFault(log: Section['accessLog']): string | undefined {
  if (log === undefined || 'syslog' in log) return undefined
  const statsOf = (path: string) => statSync(path, { throwIfNoEntry: false })
  if (!statsOf(dirname(log.file))?.isDirectory()) return 'must be in a folder that exists'
  return statsOf(log.file)?.isFile() === false ? 'must be a regular file' : undefined
}
