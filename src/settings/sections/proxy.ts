// The shipped proxy's settings that gatewayctl needs to find it; deploy/proxy/start reads all of them.
import { parseHostAndPort } from '../../network/host-and-port.ts'
import { section } from '../section.ts'
import { origin, parsed, path } from '../shapes.ts'

interface ProxySettings {
  readonly proxy: {
    /** Where a client on the same machine reaches it. */
    readonly address: NonNullable<ReturnType<typeof parseHostAndPort>>
    readonly portal: URL | undefined
    /** The portal's port for plain http. */
    readonly portalHttpPort: number | undefined
    readonly published: string
    readonly run: string
  }
}

export const proxy = section(
  'Proxy',
  {
    PROXY_LISTEN: {
      purpose: 'Where the explicit proxy listens.',
      shape: parsed('ADDRESS:PORT or PORT, several separated by spaces', parseListeners),
      default: '3128',
    },
    PROXY_PORTAL: {
      purpose: "The portal's public base URL.",
      shape: origin,
      defaultNote: '`GATEWAY_CAPTIVE_BASE_URL`',
    },
    PROXY_PORTAL_PORTS: {
      purpose: "The portal's public ports, for http and https.",
      shape: parsed('ports, separated by spaces', (text) => {
        const [, http] = /^([0-9]{1,5})(?:\s+[0-9]{1,5})*$/.exec(text) ?? []
        return http === undefined ? undefined : Number(http)
      }),
      defaultNote: '`GATEWAY_CAPTIVE_HTTP_PORT` and `GATEWAY_CAPTIVE_HTTPS_PORT`',
    },
    PROXY_PUBLISHED: {
      purpose: 'The folder that the engine publishes into.',
      shape: path,
      default: '/run/gateway',
    },
    PROXY_RUN: {
      purpose: "The proxy's own folder.",
      shape: path,
      default: '/run/proxy',
    },
  },
  (values): ProxySettings => ({
    proxy: {
      address: values.PROXY_LISTEN[0],
      portal: values.PROXY_PORTAL,
      portalHttpPort: values.PROXY_PORTAL_PORTS,
      published: values.PROXY_PUBLISHED,
      run: values.PROXY_RUN,
    },
  }),
)

type Address = ProxySettings['proxy']['address']

const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

function parseListeners(text: string): readonly [Address, ...Address[]] | undefined {
  const addresses = text.split(/\s+/).map((word) => {
    const address = parseHostAndPort(/^\d+$/.test(word) ? `127.0.0.1:${word}` : word)
    return address && { ...address, host: LOOPBACK[address.host] ?? address.host }
  })
  const [first, ...others] = addresses.filter((address) => address !== undefined)
  return first !== undefined && others.length + 1 === addresses.length ? [first, ...others] : undefined
}
