// A proxy auto-configuration file with which browsers bypass the proxy for the portal. Through the proxy, the gateway would
// inspect its own portal, and a client that does not trust the CA yet could not reach the page that helps.
import { isIPv6 } from 'node:net'
import { host } from '../settings/shapes.ts'
import { canonicalAddress } from './host-and-port.ts'

/** A host as a browser passes it to a PAC file, without a dot at its end; undefined for anything else. */
export function parsePacHost(text: string): string | undefined {
  const parsed = host.safeParse(text.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''))
  return parsed.success ? canonicalAddress(parsed.data) : undefined
}

/** `HOST:PORT`, an IPv6 address in brackets. */
function proxyAddress(proxy: { readonly host: string; readonly port: number }): string {
  return `${isIPv6(proxy.host) ? `[${proxy.host}]` : proxy.host}:${proxy.port}`
}

/**
 * The file's text, in JavaScript that old systems run, too.
 * @param proxy as `parseHostAndPort` returns it
 * @param direct hosts that bypass the proxy, as `parsePacHost` returns them
 */
export function pacFile(proxy: { readonly host: string; readonly port: number }, direct: readonly string[]): string {
  return `function FindProxyForURL(url, host) {
  var direct = ${JSON.stringify([...new Set(direct)])};
  var name = host.toLowerCase().replace(/^\\[(.*)\\]$/, "$1").replace(/\\.$/, "");
  for (var i = 0; i < direct.length; i++) {
    if (name === direct[i]) return "DIRECT";
  }
  return ${JSON.stringify(`PROXY ${proxyAddress(proxy)}`)};
}
`
}
