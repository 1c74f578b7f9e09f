// IP addresses in the one form that settings, rules and sessions compare.
import { isIP } from 'node:net'

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** The canonical form of an IP address without a zone, an IPv4-mapped IPv6 address as IPv4; undefined for anything else. */
export function parseAddress(text: string): string | undefined {
  const family = isIP(text)
  if (family === 4) return text
  if (family !== 6 || text.includes('%')) return undefined
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const mapped = MAPPED.exec(address)
  if (mapped === null) return address
  return mapped
    .slice(1)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}
