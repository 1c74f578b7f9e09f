// The proxy as devices set it up: for the certificate page, the PAC file, and `gatewayctl portal pac`.
import { parseHostAndPort } from '../../network/host-and-port.ts'
import { parsePacHost } from '../../network/pac-file.ts'
import { section } from '../section.ts'
import { parsed } from '../shapes.ts'

export interface DeviceProxySettings {
  readonly deviceProxy: {
    /** Undefined where devices need no proxy. */
    readonly address: { readonly host: string; readonly port: number } | undefined
    /** Further hosts that devices reach directly, canonical. */
    readonly direct: readonly string[]
  }
}

export const deviceProxy = section(
  'Proxy of the devices',
  {
    GATEWAY_CAPTIVE_PROXY: {
      purpose:
        'Host and port of the proxy that devices are set to. The [certificate page](certificates.md#the-proxy) then names it, and `/proxy.pac` configures it.',
      shape: parsed('HOST:PORT, an IPv6 address in brackets', (text) => parseHostAndPort(text)),
      defaultNote: 'none: the portal mentions no proxy',
    },
    GATEWAY_CAPTIVE_PROXY_DIRECT: {
      purpose: 'Hosts that devices reach without the proxy, separated by commas; the portal is one anyway.',
      shape: parsed('host names in ASCII or IP addresses, separated by commas', parseHosts),
      default: '',
    },
  },
  (values): DeviceProxySettings => ({
    deviceProxy: { address: values.GATEWAY_CAPTIVE_PROXY, direct: values.GATEWAY_CAPTIVE_PROXY_DIRECT },
  }),
)

function parseHosts(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  if (names.join('') === '') return []
  const hosts = names.flatMap((name) => parsePacHost(name) ?? [])
  return hosts.length === names.length ? hosts : undefined
}
