// The lines about decrypted connections that Squid sends: one when the handshake ends, and one for the first request.
import { isAddress, parseHost } from '../../network/host.ts'

export interface Handshake {
  /** The client's address. */
  readonly client: string
  /** Canonical. What `[inspection] exempt` would name: the target of CONNECT; of redirected traffic the name in the handshake. */
  readonly host: string
  /** `used`: a request arrived. `completed`: no request yet. */
  readonly outcome: 'broken-off' | 'completed' | 'used'
}

/** Squid's fields, of which clients choose the last, and the method: encoded, it has no space. */
const FIELDS = '%>a %err_code %err_detail %#rm'

/** The rest of a `logformat`. @param token begins each line, so that nobody else on this machine can add some */
export const explicitFormat = (token: string): string => `${token} ${FIELDS} %#>rd`
/** For redirected traffic, whose CONNECT names an address. */
export const redirectedFormat = (token: string): string => `${token} ${FIELDS} %#ssl::>sni`

const LINE = /^(\S+) (\S+) (\S+) (\S+) (\S+)$/

/**
 * @param line after the token
 * @returns undefined for what says nothing about the client, and for anything else
 */
export function parseHandshakeLine(line: string): Handshake | undefined {
  const [, client = '', error = '', detail = '', method, encodedHost = ''] = LINE.exec(line) ?? []
  const host = parseHost(encodedHost.toLowerCase())
  // Exempt hosts are names, and so are those that apps check.
  if (host === undefined || encodedHost === '-' || isAddress(host)) return undefined
  if (method !== 'CONNECT') return { client, host, outcome: 'used' }
  if (error === '-') return { client, host, outcome: 'completed' }
  return error === 'ERR_SECURE_ACCEPT_FAIL' && isOfClient(detail) ? { client, host, outcome: 'broken-off' } : undefined
}

/**
 * Whether the client sent an alert, or closed the connection. In other errors, Squid rejects the client.
 * @param detail such as `SQUID_TLS_ERR_ACCEPT+TLS_LIB_ERR=A000418+TLS_IO_ERR=1`: an error of OpenSSL, in which an alert that was
 * received is 1000 and its number
 */
function isOfClient(detail: string): boolean {
  const [, code] = /\+TLS_LIB_ERR=([0-9A-F]+)(?:\+|$)/.exec(detail) ?? []
  if (code === undefined) return detail.startsWith('SQUID_TLS_ERR_ACCEPT')
  const reason = Number.parseInt(code, 16) & 0x7f_ff_ff
  return reason >= 1000 && reason < 1256
}
