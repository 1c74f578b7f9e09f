// The portal's public address: the name and the ports that the TLS terminator publishes.
import { defaultBaseUrl } from '../../contract/base-url.ts'
import { section } from '../section.ts'
import { host, isLoopback, origin, wholeNumber } from '../shapes.ts'

export interface PublicAddressSettings {
  readonly publicAddress: {
    /** An origin, without a slash at its end. */
    readonly baseUrl: string
    /** Whether the base URL is https. */
    readonly secure: boolean
    readonly hostname: string
    readonly httpPort: number
    readonly httpsPort: number
  }
}

export const publicAddress = section(
  'Public address',
  {
    GATEWAY_CAPTIVE_BASE_URL: {
      purpose: 'Public URL of the portal, to which the engine redirects.',
      shape: origin,
      defaultNote: '`https://<GATEWAY_CAPTIVE_HOSTNAME>`, with `GATEWAY_CAPTIVE_HTTPS_PORT` unless 443',
    },
    GATEWAY_CAPTIVE_HOSTNAME: {
      purpose: 'Host name of the portal, and of its certificate (CN and SAN).',
      shape: host,
      default: 'localhost',
    },
    GATEWAY_CAPTIVE_HTTP_PORT: {
      purpose: 'Host port of the terminator for HTTP.',
      shape: wholeNumber(1, 65535),
      default: '80',
    },
    GATEWAY_CAPTIVE_HTTPS_PORT: {
      purpose: 'Host port of the terminator for HTTPS.',
      shape: wholeNumber(1, 65535),
      default: '443',
    },
  },
  (values, reading): PublicAddressSettings => {
    const hostname = values.GATEWAY_CAPTIVE_HOSTNAME
    const httpPort = values.GATEWAY_CAPTIVE_HTTP_PORT
    const httpsPort = values.GATEWAY_CAPTIVE_HTTPS_PORT
    const given = values.GATEWAY_CAPTIVE_BASE_URL
    const url = given ?? URL.parse(defaultBaseUrl(hostname, httpsPort))
    if (url === null) {
      reading.problem('GATEWAY_CAPTIVE_HOSTNAME', 'must be valid in a URL where GATEWAY_CAPTIVE_BASE_URL is unset')
      return undefined as never
    }
    const secure = url.protocol === 'https:'
    const urlHost = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (given !== undefined && urlHost !== hostname) {
      reading.warn(`GATEWAY_CAPTIVE_BASE_URL names the host ${urlHost}, but GATEWAY_CAPTIVE_HOSTNAME is ${hostname}`)
    }
    const isLocal = !secure && isLoopback(url)
    const [portName, published] = secure
      ? ['GATEWAY_CAPTIVE_HTTPS_PORT', httpsPort]
      : ['GATEWAY_CAPTIVE_HTTP_PORT', httpPort]
    const port = Number(url.port || (secure ? 443 : 80))
    // A plain-http portal on the loopback interface is behind no terminator.
    if (!isLocal && port !== published) {
      reading.warn(`GATEWAY_CAPTIVE_BASE_URL names port ${port}, but ${portName} is ${published}`)
    }
    if (!secure && !isLocal) {
      reading.warn(`GATEWAY_CAPTIVE_BASE_URL is plain http to ${url.host}: visitors' requests are sent unencrypted`)
    }
    return {
      publicAddress: {
        baseUrl: url.origin,
        secure,
        hostname,
        httpPort,
        httpsPort,
      },
    }
  },
)
