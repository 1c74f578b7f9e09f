// The portal's public URL where none is configured. The engine redirects to it, so that both derive the same one.
import { isIPv6 } from 'node:net'

/** @returns with the port even where that is 443; not a valid URL when the name is not a host's */
export function defaultBaseUrl(hostname: string, httpsPort: number | string): string {
  return `https://${isIPv6(hostname) ? `[${hostname}]` : hostname}:${httpsPort}`
}
