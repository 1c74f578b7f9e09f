// Hosts and ports as operators write them.
import { isIPv6 } from 'node:net'
import { host } from '../settings/shapes.ts'

/** `HOST:PORT`, an IPv6 address in brackets; undefined for anything else. */
export function parseHostAndPort(
  text: string,
  lowestPort: 0 | 1 = 1,
): { readonly host: string; readonly port: number } | undefined {
  const [, v6, name = v6, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(0|[1-9][0-9]{0,4})$/i.exec(text) ?? []
  const parsed = host.safeParse(name)
  const port = Number(digits)
  if (!parsed.success || !(port >= lowestPort && port <= 65_535) || (v6 !== undefined && !isIPv6(v6))) return undefined
  return { host: canonicalAddress(parsed.data), port }
}

/** An IPv6 address in its one normal form; other hosts unchanged. */
export function canonicalAddress(name: string): string {
  return isIPv6(name) ? (URL.parse(`http://[${name}]`)?.hostname.slice(1, -1) ?? name) : name
}
