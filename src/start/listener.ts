// Addresses that programs listen on: which of them collide, and why a program cannot listen on one.
import { isIPv6 } from 'node:net'

export interface Listener {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
}

function formatListener({ host, port }: Listener): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** Whether only one of them can be used. */
export function collide(one: Listener, other: Listener): boolean {
  if (one.port === 0 || one.port !== other.port) return false
  const [host, otherHost] = [one, other].map(({ host }) => (host === 'localhost' ? '127.0.0.1' : host)) as [
    string,
    string,
  ]
  return host === otherHost || covers(host, otherHost) || covers(otherHost, host)
}

/** `::` stands for all addresses of the machine, `0.0.0.0` for those of IPv4. */
function covers(wildcard: string, host: string): boolean {
  return wildcard === '::' || (wildcard === '0.0.0.0' && !isIPv6(host))
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the system does not allow it; ports below 1024 need a privilege',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name cannot be resolved',
}

/** Why a program cannot listen there; undefined for an error of another kind. */
export function listenFault(error: unknown, where: Listener): string | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'listen' && syscall !== 'bind' && syscall !== 'getaddrinfo') return undefined
  return `cannot listen on ${formatListener(where)}: ${REASONS[code] ?? 'the system refuses it'} (${code})`
}
