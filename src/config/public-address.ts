// The portal's public address: the name and the ports that the TLS terminator publishes.
import { section } from './section.ts'
import { host, isLoopback, origin, wholeNumber } from './shapes.ts'

interface PublicAddressSettings {
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
      purpose:
        'Public URL of the portal, which the engine puts in its redirects and the portal in its absolute URLs; it matches what the TLS terminator publishes.',
      shape: origin,
      default: 'https://localhost',
    },
    GATEWAY_CAPTIVE_HOSTNAME: {
      purpose: "Name at which clients reach the portal; the CN and SAN of the portal's TLS certificate.",
      shape: host,
      default: 'localhost',
    },
    GATEWAY_CAPTIVE_HTTP_PORT: {
      purpose: "Host port of the terminator's HTTP listener, which redirects to HTTPS.",
      shape: wholeNumber(1, 65535),
      default: '80',
    },
    GATEWAY_CAPTIVE_HTTPS_PORT: {
      purpose: "Host port of the terminator's HTTPS listener.",
      shape: wholeNumber(1, 65535),
      default: '443',
    },
  },
  (values, reading): PublicAddressSettings => {
    const url = values.GATEWAY_CAPTIVE_BASE_URL
    const hostname = values.GATEWAY_CAPTIVE_HOSTNAME
    const secure = url.protocol === 'https:'
    const urlHost = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (urlHost !== hostname) {
      reading.warn(`GATEWAY_CAPTIVE_BASE_URL names the host ${urlHost}, but GATEWAY_CAPTIVE_HOSTNAME is ${hostname}`)
    }
    if (!secure && !isLoopback(url)) {
      reading.warn(`GATEWAY_CAPTIVE_BASE_URL is plain http to ${url.host}: visitors' requests are sent unencrypted`)
    }
    return {
      publicAddress: {
        baseUrl: url.origin,
        secure,
        hostname,
        httpPort: values.GATEWAY_CAPTIVE_HTTP_PORT,
        httpsPort: values.GATEWAY_CAPTIVE_HTTPS_PORT,
      },
    }
  },
)
