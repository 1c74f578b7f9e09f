// Squid's configuration as files: from the settings, what the engine publishes and the machine. The main file is
// deploy/proxy/squid.conf, in which `${NAME}` is a value; a line with a value that is not set is omitted.
import { domainText, spelled, withoutCovered } from '../published/domains.ts'
import type { Published } from '../published/published.ts'
import type { AccessLog, Listener } from '../settings/sections/proxy-shapes.ts'
import { explicitFormat, redirectedFormat } from './handshakes/handshake-line.ts'
import type { HandshakeTarget } from './handshakes/handshake-log.ts'
import type { Machine } from './machine.ts'
import type { ProxySettings } from './settings/settings.ts'
import { squidNetworks } from './squid/squid-networks.ts'
import { strictSites } from './squid/strict-sites.ts'

export interface SquidFilesInput {
  /** The text of deploy/proxy/squid.conf. */
  readonly template: string
  readonly settings: ProxySettings
  readonly published: Published
  readonly machine: Machine
  readonly squid: Squid
  /** The absolute path of the folder in which Squid finds the files. */
  readonly folder: string
  /** `0KB` has Squid drop the certificates that it has cached. */
  readonly certificateCache: '4MB' | '0KB'
  /** CAs that verify an `icaps://` service, PEM. */
  readonly icapAuthorities: string
  /** The program that says which hosts are ruled, and its arguments. */
  readonly hostsHelper: readonly string[]
  /** Where Squid sends what becomes of handshakes; undefined: nowhere. */
  readonly handshakeLog?: HandshakeTarget
}

interface Squid {
  /** `6.13` */
  readonly version: string
  /** The path of security_file_certgen. */
  readonly certificateGenerator: string
}

/** Certificates, which other users may read, too: the helper runs as Squid's user. */
export const ICAP_AUTHORITIES = 'icap-authorities.pem'

/** Texts by file name; the main one is `squid.conf`. */
export function squidFiles(input: SquidFilesInput): Readonly<Record<string, string>> {
  const { settings, published, machine, icapAuthorities } = input
  const portalHost = settings.portal.hostname
  const names = published.portalNames.map(spelled)
  return {
    'squid.conf': filledTemplate(input),
    'ports.conf': lines(portDirectives(input)),
    // Apart from the rest, which operators may show to others.
    'token.conf': lines([`adaptation_meta X-Engine-Token ${settings.icapToken}`]),
    'limits.conf': lines(limits(input)),
    'auth.conf': lines(users(input)),
    'auth-except': lines(squidNetworks(settings.authExcept)),
    'headers.conf': lines(strictSites(published, settings.originCa)),
    'logs.conf': lines(logs(input)),
    clients: lines(squidNetworks(settings.clients)),
    'own-addresses': lines(squidNetworks(machine.addresses)),
    'all-portal-names': lines(unique([portalHost, ...names])),
    'further-portal-hosts': lines(unique(names.filter((name) => name !== portalHost && !THIS_MACHINE.test(name)))),
    'exempt-hosts': lines(published.exemptHosts.map(domainText)),
    'opaque-hosts': lines(withoutCovered(settings.opaqueHosts).map(domainText)),
    'exempt-clients': lines(squidNetworks(published.exemptClients)),
    internal: lines(squidNetworks(published.internal)),
    [ICAP_AUTHORITIES]: icapAuthorities,
  }
}

/** As a further name of the portal, such a host opens nothing: this machine may have other services. */
const THIS_MACHINE = /(^|\.)localhost$|^127\.|^0\.0\.0\.0$|^\[::1?\]$/

function filledTemplate(input: SquidFilesInput): string {
  const { template, settings, machine, squid, folder } = input
  const { icap, originCa } = settings
  const hostsHelper = helperCommand(input)
  const values: Readonly<Record<string, string | undefined>> = {
    GENERATED: folder,
    RUN: settings.run,
    CERTIFICATE_GENERATOR: squid.certificateGenerator,
    PORTAL_HOST: settings.portal.hostname,
    PORTAL_PORTS: settings.portalPorts.join(' '),
    CONNECT_PORTS: settings.connectPorts.join(' '),
    ICAP: icap.url,
    ICAP_TLS: icap.isTls ? `tls-cafile=${authoritiesIn(folder)}` : '',
    HOSTS_HELPER: hostsHelper,
    IF_SOME_ARE_RULED: hostsHelper && '',
    ORIGIN_CA: originCa === undefined ? '' : `cafile=${originCa}`,
    HOSTS: settings.hosts,
    DESCRIPTORS: String(machine.descriptors),
    INCLUDE: settings.include,
  }
  const filled = template.split('\n').map((line) => {
    const used = Array.from(line.matchAll(/\$\{([A-Z_]+)\}/g), ([, name = '']) => name)
    for (const name of used) if (!(name in values)) throw new Error(`squid.conf has an unknown value: ${name}`)
    if (used.some((name) => values[name] === undefined)) return []
    return [line.replace(/\$\{([A-Z_]+)\}/g, (_, name) => values[name] ?? '').trimEnd()]
  })
  return filled.flat().join('\n')
}

function portDirectives({ settings, certificateCache }: SquidFilesInput): readonly string[] {
  const tls = [
    `ssl-bump generate-host-certificates=on dynamic_cert_mem_cache_size=${certificateCache}`,
    `tls-cert=${settings.published}/bump/ca.pem options=NO_SSLv3,NO_TLSv1,NO_TLSv1_1`,
  ].join(' ')
  return [
    ...settings.listen.map((listener) => `http_port ${listenerText(listener)} name=explicit ${tls}`),
    ...settings.transparentHttp.map((listener) => `http_port ${listenerText(listener)} intercept name=redirected_http`),
    ...settings.transparentHttps.map(
      (listener) => `https_port ${listenerText(listener)} intercept name=redirected_https ${tls}`,
    ),
  ]
}

function listenerText({ address, port }: Listener): string {
  return address === undefined ? `${port}` : `${spelled(address)}:${port}`
}

/** What one address may use. */
function limits({ settings: { clientConnections }, squid }: SquidFilesInput): readonly string[] {
  // Before Squid 6.13, a request buffer that is full ends the upload (its bug 5405): it must be large. A later one must only be
  // larger than a head.
  const buffer = `client_request_buffer_max_size ${isAtLeast(squid.version, 6, 13) ? '96 KB' : '64 MB'}`
  if (clientConnections === 0) return [buffer, 'client_db off']
  return [
    buffer,
    `client_ip_max_connections ${2 * clientConnections}`,
    `acl too_many_connections maxconn ${clientConnections}`,
    'deny_info 429:ERR_TOO_MANY_CONNECTIONS too_many_connections',
    'http_access deny too_many_connections',
  ]
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = (version.match(/\d+/g) ?? []).map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

function users({ settings: { auth }, folder }: SquidFilesInput): readonly string[] {
  if (auth === undefined) return []
  return [
    `include ${auth}`,
    `acl auth_except src "${folder}/auth-except"`,
    'acl users proxy_auth REQUIRED',
    // The network first: of a device that need not authenticate, Squid reads no password, so it names no user.
    'http_access deny explicit_port !auth_except !users',
  ]
}

/** The command of the helper; undefined if Squid is to ask the engine about every request. */
function helperCommand({ published, settings, folder, hostsHelper }: SquidFilesInput): string | undefined {
  const words = [...hostsHelper, ...(settings.icap.isTls ? [authoritiesIn(folder)] : [])]
  // squid.conf cannot have a space within a path.
  return published.ruledHosts === 'some' && words.every((word) => PLAIN_WORD.test(word)) ? words.join(' ') : undefined
}

const PLAIN_WORD = /^[A-Za-z0-9._/+@-]+$/

function authoritiesIn(folder: string): string {
  return `${folder}/${ICAP_AUTHORITIES}`
}

/** The first without an acl that matches is the last: `access_log none` matches always. */
function logs({ settings: { accessLog, accessLogFormat }, handshakeLog }: SquidFilesInput): readonly string[] {
  return [
    ...(handshakeLog === undefined ? [] : handshakeDirectives(handshakeLog)),
    ...(accessLog === undefined ? ['access_log none'] : accessLogDirectives(accessLog, accessLogFormat)),
  ]
}

/** By UDP, so that Squid never waits; without a buffer, each line is sent at once. */
function handshakeDirectives({ port, token }: HandshakeTarget): readonly string[] {
  const place = `udp://127.0.0.1:${port}`
  return [
    `logformat explicit_handshake ${explicitFormat(token)}`,
    `logformat redirected_handshake ${redirectedFormat(token)}`,
    `access_log ${place} logformat=explicit_handshake buffer-size=0KB has_request marked explicit_port handshake`,
    `access_log ${place} logformat=redirected_handshake buffer-size=0KB has_request marked !explicit_port handshake`,
  ]
}

function accessLogDirectives(log: AccessLog, format: 'json' | 'squid'): readonly string[] {
  const place = 'file' in log ? `stdio:${log.file}` : `syslog:${log.syslog}`
  if (format === 'json') return [`access_log ${place} gateway has_request`]
  return [
    `access_log ${place} native_connect has_request is_connect`,
    `access_log ${place} native_usual_port has_request !is_connect usual_port`,
    `access_log ${place} native_other_port has_request !is_connect !usual_port`,
  ]
}

function unique(entries: readonly string[]): readonly string[] {
  return [...new Set(entries)].toSorted()
}

function lines(entries: readonly string[]): string {
  return entries.map((entry) => `${entry}\n`).join('')
}
