// A proxy auto-configuration file that lets browsers reach the portal without the proxy: over it the gateway would
// inspect its own portal, and a client that does not trust the CA yet could not reach the page that helps.
import { isIPv6 } from 'node:net'
import { host } from './shapes.ts'

/** `HOST:PORT`, an IPv6 address in brackets; undefined where it is not that. */
export function parseHostAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, v6, name = v6, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):([1-9][0-9]{0,4})$/i.exec(text) ?? []
  const parsed = host.safeParse(name)
  const port = Number(digits)
  if (!parsed.success || !(port <= 65_535) || (v6 !== undefined && !isIPv6(v6))) return undefined
  return { host: canonical(parsed.data), port }
}

/** A host as a browser hands it to a PAC file; undefined where it is none. A dot at its end is dropped. */
export function parsePacHost(text: string): string | undefined {
  const parsed = host.safeParse(text.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''))
  return parsed.success ? canonical(parsed.data) : undefined
}

/**
 * The file's text, in JavaScript that old systems run as well.
 * @param proxy as `parseHostAndPort` gives it
 * @param direct hosts that are reached without the proxy, as `parsePacHost` gives them
 */
export function pacFile(proxy: { readonly host: string; readonly port: number }, direct: readonly string[]): string {
  const address = `${isIPv6(proxy.host) ? `[${proxy.host}]` : proxy.host}:${proxy.port}`
  return `function FindProxyForURL(url, host) {
  var direct = ${JSON.stringify([...new Set(direct)])};
  var name = host.toLowerCase().replace(/^\\[(.*)\\]$/, "$1").replace(/\\.$/, "");
  for (var i = 0; i < direct.length; i++) {
    if (name === direct[i]) return "DIRECT";
  }
  return ${JSON.stringify(`PROXY ${address}`)};
}
`
}

function canonical(name: string): string {
  return isIPv6(name) ? (URL.parse(`http://[${name}]`)?.hostname.slice(1, -1) ?? name) : name
}
