// The portal's default public URL. Portal and engine derive it in the same way, because the engine redirects to it.
import { isIPv6 } from 'node:net'

/** @returns the URL with its port, even 443; not a valid URL if the name is not a host name */
export function defaultBaseUrl(hostname: string, httpsPort: number | string): string {
  return `https://${isIPv6(hostname) ? `[${hostname}]` : hostname}:${httpsPort}`
}
