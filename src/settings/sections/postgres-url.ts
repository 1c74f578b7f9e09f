// A PostgreSQL URL as libpq, psycopg and asyncpg write it. The list of parameters is closed: one that has no effect here, above
// all one that asks for verification, is rejected instead of ignored.
import { isIP } from 'node:net'
import { escaped } from '../shown.ts'

export interface PostgresServer {
  /** A name, an address without brackets, or the folder of a Unix socket, which begins with `/`. */
  readonly host: string
  readonly port: number
  /** Undefined for the driver's default. */
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string
  /** `none` also for a Unix socket, whatever the URL says, as in libpq. */
  readonly tls: Tls
  /** Whether the URL names it. */
  readonly isTlsChosen: boolean
  /** The file of the authorities that may issue the server's certificate; undefined for the system's. */
  readonly rootCertificate: string | undefined
  /** The files of a client certificate and its key. */
  readonly clientCertificate: { readonly certificate: string; readonly key: string } | undefined
  /** Milliseconds. */
  readonly connectTimeout: number
  readonly applicationName: string | undefined
  /** Of the session: `-c search_path=portal`. */
  readonly options: string | undefined
}

/** `unverified`: any certificate. `authority`: from these authorities, for any name. `verified`: for this host. */
type Tls = 'none' | 'unverified' | 'authority' | 'verified'

/** What the values of `sslmode`, and of `ssl`, mean. `true`, `1`, `false` and `0` are common for `ssl`. */
const MODES: Readonly<Record<string, Tls>> = {
  disable: 'none',
  require: 'unverified',
  'verify-ca': 'authority',
  'verify-full': 'verified',
}
const SWITCHES: Readonly<Record<string, Tls>> = { true: 'verified', 1: 'verified', false: 'none', 0: 'none' }

const PARAMETERS = [
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'host',
  'port',
  'connect_timeout',
  'application_name',
  'options',
] as const
type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>

const DEFAULT_PORT = '5432'
/** A visitor waits. */
const MAXIMUM_CONNECT_SECONDS = 2

/** A rule that the URL breaks; the message follows the setting's name, and contains neither user nor password. */
export class PostgresUrlFault extends Error {
  override readonly name = 'PostgresUrlFault'
}

export const DATABASE_URL_FORM =
  'sqlite:///<path>, or postgresql://<user>:<password>@<host>:<port>/<database> with special characters percent-encoded'
// Also without a host, as libpq: `postgresql://user@/database?host=/run/postgresql`.
const URL_PARTS =
  /^postgres(?:ql)?(?:\+\w+)?:\/\/(?:(?<user>[^/?#\s:]*)(?::(?<password>[^/?#\s]*))?@)?(?<hosts>[^/?#@\s]*)\/(?<database>[^/?#@\s]+)(?:\?(?<query>[^#@\s]*))?$/i

/** @throws {PostgresUrlFault} */
export function parsePostgresUrl(text: string): PostgresServer {
  const parts = URL_PARTS.exec(text)?.groups
  if (parts === undefined) throw new PostgresUrlFault(DATABASE_URL_FORM)
  const { user = '', password = '', hosts = '', database = '', query = '' } = parts
  const parameters = parseParameters(query)
  const { host, port } = serverOf(hosts, parameters)
  const { sslrootcert, application_name: applicationName, options } = parameters
  const tls = host.startsWith('/') ? 'none' : tlsOf(parameters)
  return {
    host,
    port,
    user: decode(user) || undefined,
    password: decode(password) || undefined,
    database: decode(database),
    tls,
    isTlsChosen: parameters.sslmode !== undefined || parameters.ssl !== undefined,
    rootCertificate: sslrootcert === 'system' ? undefined : sslrootcert,
    clientCertificate: clientCertificateOf(parameters),
    connectTimeout: connectTimeoutOf(parameters),
    applicationName: printable('application_name', applicationName, 63),
    options: printable('options', options, 1000),
  }
}

/** `db:5432`, `[::1]:5432`, or a socket's folder. */
export function shownAddress({ host, port }: Pick<PostgresServer, 'host' | 'port'>): string {
  if (host.startsWith('/')) return host
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

function parseParameters(query: string): Parameters {
  const parameters: Record<string, string> = {}
  for (const pair of query.split('&').filter((pair) => pair !== '')) {
    const at = pair.indexOf('=')
    const name = decode(at === -1 ? pair : pair.slice(0, at))
    const value = decode(at === -1 ? '' : pair.slice(at + 1))
    if (!PARAMETERS.some((known) => known === name)) {
      throw new PostgresUrlFault(
        `must have no parameters but ${listed(PARAMETERS)} after the question mark; it has "${shortened(name)}"${adviceFor(name)}`,
      )
    }
    if (Object.hasOwn(parameters, name)) throw new PostgresUrlFault(`must have the parameter ${name} once`)
    if (value === '') throw new PostgresUrlFault(`must have a value for the parameter ${name}`)
    parameters[name] = value
  }
  return parameters
}

function adviceFor(name: string): string {
  const known = PARAMETERS.find((one) => one === name.toLowerCase())
  if (known !== undefined) return `: write ${known}`
  if (/^(user|password|dbname|database)$/i.test(name)) return ', which belongs before the question mark'
  return ''
}

function serverOf(hosts: string, parameters: Parameters): { readonly host: string; readonly port: number } {
  if (`${hosts}${parameters.host ?? ''}${parameters.port ?? ''}`.includes(',')) {
    throw new PostgresUrlFault('must name one host: connect to several through a proxy that knows the primary')
  }
  const parts = /^(?<host>\[[^\]]*\]|[^:[\]]*)(?::(?<port>[0-9]*))?$/.exec(hosts)?.groups
  if (parts === undefined) throw new PostgresUrlFault(DATABASE_URL_FORM)
  const named = decode(parts.host ?? '').replace(/^\[(.*)\]$/, '$1')
  const host = oneOf('host', named, parameters.host) || 'localhost'
  const port = oneOf('port', parts.port ?? '', parameters.port) || DEFAULT_PORT
  const isHost = host.startsWith('/') || isIP(host.replace(/%.*$/, '')) === 6 || /^[\w.-]+$/.test(host)
  if (!isHost || host.includes('\0')) {
    throw new PostgresUrlFault('must name a host, an address, or the folder of a Unix socket as /path')
  }
  if (!/^[1-9][0-9]{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new PostgresUrlFault('must have a port from 1 to 65535')
  }
  return { host: host.startsWith('/') ? host : host.toLowerCase(), port: Number(port) }
}

function oneOf(name: 'host' | 'port', before: string, after: string | undefined): string {
  if (before !== '' && after !== undefined && before !== after) {
    throw new PostgresUrlFault(`must name one ${name}, before the question mark or after it`)
  }
  return before || after || ''
}

function tlsOf({ sslmode, ssl, sslrootcert }: Parameters): Tls {
  if (sslmode !== undefined && ssl !== undefined && sslmode !== ssl) {
    throw new PostgresUrlFault('must have one of the parameters sslmode and ssl')
  }
  const [name, value, meanings] =
    ssl === undefined ? (['sslmode', sslmode, MODES] as const) : (['ssl', ssl, { ...MODES, ...SWITCHES }] as const)
  if (value === undefined) {
    if (sslrootcert === undefined) return 'none'
    throw new PostgresUrlFault('must have the parameter sslmode with sslrootcert: write sslmode=verify-full')
  }
  const tls = Object.hasOwn(meanings, value) ? meanings[value] : undefined
  if (tls === undefined) {
    const isOpportunistic = value === 'prefer' || value === 'allow'
    const why = isOpportunistic ? ', which anyone on the way can turn off' : ''
    const values = listed(Object.keys(MODES), 'or')
    throw new PostgresUrlFault(`must have ${values} as ${name}; it has "${shortened(value)}"${why}`)
  }
  if (tls === 'authority' && (sslrootcert ?? 'system') === 'system') {
    throw new PostgresUrlFault(
      `must have the CA's file as sslrootcert with ${name}=verify-ca: anyone can get a certificate of a public CA`,
    )
  }
  // As libpq does.
  return tls === 'unverified' && sslrootcert !== undefined && sslrootcert !== 'system' ? 'authority' : tls
}

function clientCertificateOf({ sslcert, sslkey }: Parameters): PostgresServer['clientCertificate'] {
  if (sslcert === undefined && sslkey === undefined) return undefined
  if (sslcert !== undefined && sslkey !== undefined) return { certificate: sslcert, key: sslkey }
  throw new PostgresUrlFault('must have both of the parameters sslcert and sslkey, or neither')
}

function connectTimeoutOf({ connect_timeout: seconds = String(MAXIMUM_CONNECT_SECONDS) }: Parameters): number {
  if (!/^[1-9][0-9]{0,4}$/.test(seconds)) {
    throw new PostgresUrlFault('must have a whole number of seconds from 1 as connect_timeout')
  }
  return Math.min(Number(seconds), MAXIMUM_CONNECT_SECONDS) * 1000
}

function printable(name: string, text: string | undefined, most: number): string | undefined {
  if (text === undefined || (/^[ -~]+$/.test(text.slice(0, most + 1)) && text.length <= most)) return text
  throw new PostgresUrlFault(`must have at most ${most} printable ASCII characters as ${name}`)
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text)
    if (!decoded.includes('\0')) return decoded
  } catch {
    // A percent sign that is not encoded.
  }
  throw new PostgresUrlFault(DATABASE_URL_FORM)
}

function listed(names: readonly string[], conjunction = 'and'): string {
  return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`
}

function shortened(text: string): string {
  return escaped([...text].slice(0, 40).join(''))
}
