// The gateway that is checked: from options, otherwise from the proxy's and the portal's variables.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { certificateDownload } from '../../certificate/downloads.ts'
import { parseHostAndPort } from '../../network/host-and-port.ts'
import { loadSection } from '../../settings/load-section.ts'
import { proxy as proxySection } from '../../settings/sections/proxy.ts'
import type { Listener } from '../../settings/sections/proxy-shapes.ts'
import { publicAddress } from '../../settings/sections/public-address.ts'
import type { Context } from '../context.ts'
import { type PortalKeys, portalKeys } from '../deployment/portal-keys.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import type { Finding } from '../doctor/finding.ts'
import { authorization, type ForwardProxy } from '../doctor/proxy.ts'
import { missingVariables } from '../doctor/variables.ts'
import { type Connection, type EngineOptions, findEngine, withEngineOptions } from '../engine/connection.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { lookUpCa } from '../portal/ca.ts'
import type { Unknown } from '../unknown.ts'
import { type PublishedHere, readPublishedHere, readText } from './published.ts'
import { type Configuration, readConfiguration } from './squid-configuration.ts'

type Surroundings = Pick<Context, 'env' | 'clock'>

export interface GatewayOptions extends EngineOptions {
  readonly proxy?: NonNullable<ReturnType<typeof parseHostAndPort>>
  readonly credentials?: string
  readonly published?: string
}

export interface Gateway {
  /** A finding where no variable describes it. */
  readonly missingVariables: Finding | undefined
  readonly proxy: ForwardProxy
  /** `HOST:PORT`, for messages. */
  readonly name: string
  /** The portal's base URL, an origin. */
  readonly portal: URL
  /** The portal's origin over plain http; undefined where the base URL is plain http itself. */
  readonly plainPortal: URL | undefined
  readonly portalKeys: PortalKeys
  readonly published: PublishedHere
  /** The CAs that devices trust, in PEM: published ones only. */
  readonly ownRoots: readonly string[] | Unknown
  /** These and the system's. */
  readonly roots: readonly string[]
  /** For administration calls. */
  readonly engine: Connection | Unknown
  /** The file that Squid runs with. */
  readonly configurationPath: string
  readonly configuration: Configuration
}

export const GATEWAY = `
The variables PROXY_LISTEN, PROXY_PORTAL, PROXY_PUBLISHED and PROXY_RUN describe
the proxy, with the proxy's own defaults. Those that the environment does not
set are read from the files proxy.env and .env in GATEWAY_HOME, by default
/etc/gateway. The engine and its token are found as in gatewayctl engine status.`

export function withGatewayOptions(command: Command): Command {
  command
    .addOption(new Option('--proxy <host:port>', 'the proxy').argParser(parseProxy))
    .addOption(new Option('--credentials <file>', "a file with a user's NAME:PASSWORD, for Basic authentication only"))
    .addOption(new Option('--published <folder>', 'the folder that the engine publishes into'))
  return withEngineOptions(command)
}

function parseProxy(text: string): NonNullable<GatewayOptions['proxy']> {
  const proxy = parseHostAndPort(text)
  if (proxy === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return proxy
}

/** @throws {Failure} @throws {ConfigProblems} */
export async function describeGateway({ env: given, clock }: Surroundings, options: GatewayOptions): Promise<Gateway> {
  const env = portalVariables(given, 'proxy')
  const { proxy: settings } = loadSection(proxySection, env).part
  const published = options.published ?? settings.published
  const ca = join(published, 'ca', 'ca.crt')
  const isNamed = options.published !== undefined || env.PROXY_PUBLISHED !== undefined
  const context = { env: { ...given, ...(isNamed && existsSync(ca) && { GATEWAY_CAPTIVE_CA_PATH: ca }) }, clock }

  const { baseUrl } = loadSection(publicAddress, env).part.publicAddress
  const portal = settings.portal ?? new URL(baseUrl)
  const address = options.proxy ?? clientAddress(settings.listen[0])
  const path = join(settings.run, 'squid.conf')
  const ownRoots = await publishedRoots(context)
  const name = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
  return {
    missingVariables: missingVariables(
      env,
      ['GATEWAY_CAPTIVE_', 'PROXY_'],
      `the proxy ${name} and the portal ${portal.origin}`,
    ),
    proxy: { ...address, fields: authorization(readCredentials(options.credentials)) },
    name,
    portal,
    plainPortal:
      portal.protocol === 'https:' ? new URL(`http://${portal.hostname}:${settings.portalPorts[0]}`) : undefined,
    portalKeys: portalKeys(given),
    published: readPublishedHere(published),
    ownRoots,
    roots: [...('reason' in ownRoots ? [] : ownRoots), ...rootCertificates],
    engine: await findConnection(context, options),
    configurationPath: path,
    configuration: readConfiguration(path),
  }
}

/** Where a client on the same machine reaches the proxy. */
function clientAddress({ address = '0.0.0.0', port }: Listener): NonNullable<GatewayOptions['proxy']> {
  return { host: LOOPBACK[address] ?? address, port }
}

const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** A password in an argument would be in the list of processes. */
function readCredentials(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const file = readText(path)
  if ('reason' in file) throw new Failure(file.reason, EXIT_MISUSED)
  const [line = ''] = file.text.split(/\r?\n/, 1)
  if (!/^[^:]+:./.test(line)) throw new Failure(`the first line of ${path} must be NAME:PASSWORD`, EXIT_MISUSED)
  return line
}

async function publishedRoots(context: Surroundings): Promise<readonly string[] | Unknown> {
  try {
    const { certificate, next } = (await lookUpCa(context)).published
    const own = next === undefined ? [certificate] : [certificate, next]
    return own.map((each) => `${certificateDownload(each, 'crt', '').bytes}`)
  } catch (error) {
    if (error instanceof Failure) return { reason: error.message }
    throw error
  }
}

async function findConnection(context: Surroundings, options: GatewayOptions): Promise<Connection | Unknown> {
  try {
    return await findEngine(context, options)
  } catch (error) {
    const isNamed = options.engine !== undefined || options.tokenFile !== undefined || options.caFile !== undefined
    if (error instanceof Failure && !isNamed) return { reason: error.message }
    throw error
  }
}
