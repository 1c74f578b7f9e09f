// The proxy auto-configuration (PAC) file of an explicit-proxy deployment. A browser that asks the gateway's proxy for the
// portal, too, cannot show its pages: docs/operations.md says why.
import { isIPv6 } from 'node:net'
import type { Config } from './config.ts'
import { host, wholeNumber } from './shapes.ts'

declare const parsed: unique symbol

/** What a PAC file answers for a proxy: `PROXY proxy.example:3128`. */
export type ProxyDirective = string & { readonly [parsed]: true }

const DIRECTIVE: Readonly<Record<string, string>> = { 'http://': 'PROXY', 'https://': 'HTTPS' }
const port = wholeNumber(1, 65535)

/**
 * Reads `HOST:PORT`, with `http://` (what it means without) or, for a proxy that is spoken to over TLS, `https://` before
 * it. Undefined for anything else.
 */
export function parseProxy(text: string): ProxyDirective | undefined {
  const [, scheme = 'http://', bracketed, plain, digits] =
    /^(https?:\/\/)?(?:\[([^\]]*)\]|([^:/[\]]*)):([^/]*)\/?$/i.exec(text) ?? []
  const name = host.safeParse(bracketed ?? plain)
  if (!name.success || isIPv6(name.data) !== (bracketed !== undefined) || !port.safeParse(digits).success)
    return undefined
  const place = bracketed === undefined ? name.data : `[${name.data}]`
  return `${DIRECTIVE[scheme.toLowerCase()]} ${place}:${digits}` as ProxyDirective
}

/**
 * A PAC file that sends a browser to the portal directly and everywhere else through the proxy. There is no way around a
 * proxy that does not answer: that would be a way around the gateway. In the JavaScript of the oldest engine that still
 * reads one, and in ASCII.
 */
export function proxyAutoConfig(
  { baseUrl, hostname }: Pick<Config['publicAddress'], 'baseUrl' | 'hostname'>,
  proxy: ProxyDirective,
): string {
  const names = new Set([new URL(baseUrl).hostname, hostname].map(comparable))
  return `function FindProxyForURL(url, host) {
  // Without the dot of the root, and without the brackets of an IPv6 address.
  var name = host.toLowerCase().replace(/^\\[|\\]$|\\.$/g, "");
  if (${[...names].map((name) => `name === ${quote(name)}`).join(' || ')}) return "DIRECT";
  return ${quote(proxy)};
}
`
}

/** As a browser spells the host of a URL, but for what the file itself takes away. */
function comparable(name: string): string {
  const spelt = URL.parse(`http://${isIPv6(name) ? `[${name}]` : name}`)?.hostname ?? name
  return spelt.toLowerCase().replace(/^\[|\]$|\.$/g, '')
}

/** A string literal that ends where it should, whatever is in it. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
