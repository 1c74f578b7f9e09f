// The engine's ICAP service `/hosts`: where it is, its requests and responses. A request has the method HOSTS, the token and an
// `X-Host` for each of 1 to 100 hosts; the response an `X-Ruled`, `yes` or `no`, for each, in the same order.
import type { IcapAddress } from '../icap-connection.ts'

export interface HostsService extends IcapAddress {
  readonly token: string
}

/** More than 100 are an error for the engine. */
export const MOST_HOSTS = 100
const LONGEST_RESPONSE = 16_384

const STATUS = /^ICAP\/1\.0 200(?: |$)/
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*?)[ \t]*$/

/** The environment of Squid, which its helpers inherit: other users can read the arguments of a program, but not this. */
export function toEnvironment({ host, port, isTls, token }: HostsService): Readonly<Record<string, string>> {
  return { RULED_HOSTS_SERVICE: JSON.stringify({ host, port, isTls, token } satisfies HostsService) }
}

/** @param environment has what `toEnvironment` returns */
export function serviceOf({ RULED_HOSTS_SERVICE = '' }: Readonly<Record<string, string | undefined>>): HostsService {
  return JSON.parse(RULED_HOSTS_SERVICE)
}

/** @param hosts 1 to 100, visible characters only */
export function hostsRequest({ host, port, isTls, token }: HostsService, hosts: readonly string[]): string {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const fields = hosts.map((one) => `X-Host: ${one}\r\n`).join('')
  return `HOSTS ${isTls ? 'icaps' : 'icap'}://${authority}/hosts ICAP/1.0\r\nHost: ${authority}\r\nX-Engine-Token: ${token}\r\n${fields}\r\n`
}

/**
 * Whether each host is ruled.
 * @param text what has been received since the request, one character per byte
 * @param count of the hosts that were asked about
 */
export function parseResponse(text: string, count: number): readonly boolean[] | 'incomplete' | 'invalid' {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return text.length > LONGEST_RESPONSE ? 'invalid' : 'incomplete'
  const [status = '', ...lines] = text.slice(0, end).split('\r\n')
  // One request at a time: nothing may follow.
  if (!STATUS.test(status) || text.length !== end + 4) return 'invalid'
  const ruled: boolean[] = []
  for (const line of lines) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? []
    if (name === '') return 'invalid'
    if (name.toLowerCase() === 'encapsulated' && value !== 'null-body=0') return 'invalid'
    if (name.toLowerCase() !== 'x-ruled') continue
    if (value !== 'yes' && value !== 'no') return 'invalid'
    ruled.push(value === 'yes')
  }
  return ruled.length === count ? ruled : 'invalid'
}
