// The portal's listeners, and the proxies whose `X-Forwarded-For` it trusts.
import { BlockList, isIP } from 'node:net'
import { section } from '../../settings/section.ts'
import { host, parsed, wholeNumber } from '../../settings/shapes.ts'
import { collide } from '../../start/listener.ts'

interface ListenSettings {
  /** Port 0 selects a free one. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Port 0 means none. */
  readonly ops: { readonly host: string; readonly port: number }
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[]
}

export const listen = section(
  'Listeners',
  {
    GATEWAY_CAPTIVE_LISTEN_HOST: {
      purpose: 'Address of the listener for the TLS terminator.',
      shape: host,
      default: '0.0.0.0',
    },
    GATEWAY_CAPTIVE_LISTEN_PORT: {
      purpose: 'Its port; `0` selects a free one.',
      shape: wholeNumber(0, 65535),
      default: '8000',
    },
    GATEWAY_CAPTIVE_OPS_HOST: {
      purpose: 'Address of the operations listener: `/readyz` and `/metrics`.',
      shape: host,
      default: '127.0.0.1',
    },
    GATEWAY_CAPTIVE_OPS_PORT: {
      purpose: 'Its port; `0` turns it off.',
      shape: wholeNumber(0, 65535),
      default: '9464',
    },
    GATEWAY_CAPTIVE_TRUSTED_PROXIES: {
      purpose: 'Proxies whose `X-Forwarded-For` is trusted; shipped deployments set it.',
      shape: parsed('IP addresses or CIDR ranges, separated by commas', parseProxies),
    },
  },
  (values, reading): ListenSettings => {
    const listen = { host: values.GATEWAY_CAPTIVE_LISTEN_HOST, port: values.GATEWAY_CAPTIVE_LISTEN_PORT }
    const ops = { host: values.GATEWAY_CAPTIVE_OPS_HOST, port: values.GATEWAY_CAPTIVE_OPS_PORT }
    if (collide(listen, ops)) {
      reading.problem('GATEWAY_CAPTIVE_OPS_PORT', 'must differ from GATEWAY_CAPTIVE_LISTEN_PORT')
    }
    return { listen, ops, trustedProxies: values.GATEWAY_CAPTIVE_TRUSTED_PROXIES ?? [] }
  },
)

function parseProxies(text: string): readonly string[] | undefined {
  const proxies = text.split(',').map((proxy) => proxy.trim())
  return proxies.every(isAddressOrRange) ? proxies : undefined
}

function isAddressOrRange(text: string): boolean {
  const [, address = '', prefix] = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0 || prefix === undefined) return version !== 0
  try {
    new BlockList().addSubnet(address, Number(prefix), version === 4 ? 'ipv4' : 'ipv6')
    return true
  } catch {
    return false
  }
}
