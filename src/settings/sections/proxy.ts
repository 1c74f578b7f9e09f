// The proxy's settings, parsed, for the proxy itself and for gatewayctl. The proxy requires more of them, and checks the files
// that they name: src/proxy/settings/settings.ts.
import { defaultBaseUrl } from '../../contract/base-url.ts'
import type { AddressRange } from '../../network/address-range.ts'
import type { Domain } from '../../published/published.ts'
import { section } from '../section.ts'
import { host, oneOf, wholeNumber } from '../shapes.ts'
import { BRAND_COMPANY, BRAND_PALETTE, BRAND_PRODUCT, ORG_NAME, type Palette } from './operator.ts'
import {
  type AccessLog,
  accessLog,
  domains,
  httpsPorts,
  type IcapService,
  icapService,
  type Listener,
  listeners,
  networks,
  portalUrl,
  ports,
  squidPath,
} from './proxy-shapes.ts'

export interface ProxySection {
  readonly proxy: {
    readonly clients: readonly AddressRange[] | undefined
    /** An origin. */
    readonly portal: URL | undefined
    /** The port for plain http first. */
    readonly portalPorts: readonly [number, ...number[]]
    readonly listen: readonly [Listener, ...Listener[]]
    readonly transparentHttp: readonly Listener[]
    readonly transparentHttps: readonly Listener[]
    readonly connectPorts: readonly number[]
    /** Exempt hosts in whose tunnels there is no TLS. */
    readonly opaqueHosts: readonly Domain[]
    readonly icap: IcapService
    readonly icapTokenFile: string | undefined
    readonly published: string
    readonly run: string
    readonly originCa: string | undefined
    readonly hosts: string | undefined
    readonly auth: string | undefined
    /** Squid does not ask them for a password. */
    readonly authExcept: readonly AddressRange[]
    readonly include: string | undefined
    /** 0: no limit. */
    readonly clientConnections: number
    readonly accessLog: AccessLog | undefined
    readonly accessLogFormat: 'json' | 'squid'
    readonly isInContainer: boolean
    /** Of its pages. */
    readonly operator: string | undefined
    readonly product: string
    readonly palette: Palette
  }
}

/** Not `.whatsapp.net`: its other servers speak TLS, also for further sites. */
const CHAT_OF_WHATSAPP = ['g', ...Array.from({ length: 16 }, (_, index) => `e${index + 1}`)]
  .map((name) => `${name}.whatsapp.net`)
  .join(' ')

const REQUIRED = 'none; required'

/** The engine reads it, too: only there a report names the user of an address. */
export const PROXY_AUTH_EXCEPT = {
  purpose:
    'Networks whose devices need not authenticate: phones, printers, guests. The engine reads it, too: there, [reports](phones.md) name users.',
  shape: networks,
}

export const proxy = section(
  'Proxy',
  {
    PROXY_CLIENTS: {
      purpose: 'Who may use the proxy.',
      shape: networks,
      defaultNote: REQUIRED,
    },
    PROXY_PORTAL: {
      purpose: "The portal's public base URL. Its host is not decrypted, and needs no decision and no password.",
      shape: portalUrl,
      defaultNote: '`GATEWAY_CAPTIVE_BASE_URL`, or `https://` and `GATEWAY_CAPTIVE_HOSTNAME` with its port; required',
    },
    PROXY_PORTAL_PORTS: {
      purpose: "The portal's public ports, in addition to that of its URL.",
      shape: ports,
      defaultNote: '`GATEWAY_CAPTIVE_HTTP_PORT` and `GATEWAY_CAPTIVE_HTTPS_PORT`, or `80 443`',
    },
    PROXY_LISTEN: {
      purpose: 'Where browsers connect; an IPv6 address in brackets.',
      shape: listeners,
      default: '3128',
    },
    PROXY_CONNECT_PORTS: {
      purpose: 'Ports of https sites, in addition to 443: `8443 9443`.',
      shape: httpsPorts,
    },
    PROXY_OPAQUE_HOSTS: {
      purpose:
        'Exempt hosts whose apps speak another protocol than TLS. In the tunnels of others, the name in the handshake must be that of an exempt host, too: name no host whose servers serve others.',
      shape: domains,
      default: CHAT_OF_WHATSAPP,
      defaultNote: '`g.whatsapp.net`, and `e1` to `e16` there',
    },
    PROXY_TRANSPARENT_HTTP: {
      purpose: 'Where the network redirects traffic to port 80.',
      shape: listeners,
    },
    PROXY_TRANSPARENT_HTTPS: {
      purpose: 'The same for port 443.',
      shape: listeners,
    },
    PROXY_ICAP: {
      purpose:
        "The engine's ICAP service. With `icaps://` its certificate is from the published root or a CA of `PROXY_ORIGIN_CA`.",
      shape: icapService,
      default: 'icap://127.0.0.1:1344/reqmod',
    },
    PROXY_ICAP_TOKEN_FILE: {
      purpose: "A file with the engine's ICAP token.",
      shape: squidPath,
      defaultNote: REQUIRED,
    },
    PROXY_PUBLISHED: {
      purpose: 'The folder that the engine publishes into.',
      shape: squidPath,
      default: '/run/gateway',
    },
    PROXY_RUN: {
      purpose: 'Its own folder, preferably in memory; it holds the token.',
      shape: squidPath,
      default: '/run/proxy',
    },
    PROXY_ORIGIN_CA: {
      purpose: "A PEM file with CAs for sites, in addition to the system's.",
      shape: squidPath,
    },
    PROXY_HOSTS: {
      purpose: 'A hosts file for names that DNS does not have.',
      shape: squidPath,
    },
    PROXY_AUTH: {
      purpose: "A file with Squid's `auth_param` lines: [users](#users) must then authenticate.",
      shape: squidPath,
    },
    PROXY_AUTH_EXCEPT,
    PROXY_INCLUDE: {
      purpose: 'A file with directives for the end of `squid.conf`.',
      shape: squidPath,
    },
    PROXY_CLIENT_CONNECTIONS: {
      purpose: '[Connections that one address](#one-address) may have; `0` for no limit.',
      shape: wholeNumber(0, 99_999),
      default: '1000',
    },
    PROXY_ACCESS_LOG: {
      purpose: 'Where each request is [logged](#log).',
      shape: accessLog,
      default: 'off',
    },
    PROXY_ACCESS_LOG_FORMAT: {
      purpose: "`squid`: Squid's native format, [without paths](#log).",
      shape: oneOf(['json', 'squid']),
      default: 'json',
    },
    PROXY_IN_CONTAINER: {
      purpose:
        "Whether the first address of each network counts as this machine. The image sets `yes`: in the host's network, set `no`.",
      shape: oneOf(['yes', 'no']),
      default: 'no',
    },
    // Of the portal, where the variables above are unset.
    GATEWAY_CAPTIVE_BASE_URL: { purpose: 'See PROXY_PORTAL.', shape: portalUrl },
    GATEWAY_CAPTIVE_HOSTNAME: { purpose: 'See PROXY_PORTAL.', shape: host },
    GATEWAY_CAPTIVE_HTTP_PORT: { purpose: 'See PROXY_PORTAL_PORTS.', shape: wholeNumber(1, 65_535), default: '80' },
    GATEWAY_CAPTIVE_HTTPS_PORT: { purpose: 'See PROXY_PORTAL_PORTS.', shape: wholeNumber(1, 65_535), default: '443' },
    // For its pages.
    GATEWAY_ORG_NAME: ORG_NAME,
    GATEWAY_CAPTIVE_BRAND_COMPANY: BRAND_COMPANY,
    GATEWAY_CAPTIVE_BRAND_PRODUCT: BRAND_PRODUCT,
    GATEWAY_CAPTIVE_BRAND_PALETTE: BRAND_PALETTE,
  },
  (values): ProxySection => {
    const httpsPort = values.GATEWAY_CAPTIVE_HTTPS_PORT
    const { GATEWAY_CAPTIVE_HOSTNAME: hostname, PROXY_ACCESS_LOG: log } = values
    const derived = hostname === undefined ? undefined : (URL.parse(defaultBaseUrl(hostname, httpsPort)) ?? undefined)
    const portal = values.PROXY_PORTAL ?? values.GATEWAY_CAPTIVE_BASE_URL ?? derived
    const [httpPort = 0, ...others] = values.PROXY_PORTAL_PORTS ?? [values.GATEWAY_CAPTIVE_HTTP_PORT, httpsPort]
    const own = portal === undefined ? [] : [Number(portal.port) || (portal.protocol === 'https:' ? 443 : 80)]
    return {
      proxy: {
        clients: values.PROXY_CLIENTS,
        portal,
        portalPorts: [httpPort, ...others, ...own.filter((port) => port !== httpPort && !others.includes(port))],
        listen: values.PROXY_LISTEN,
        transparentHttp: values.PROXY_TRANSPARENT_HTTP ?? [],
        transparentHttps: values.PROXY_TRANSPARENT_HTTPS ?? [],
        connectPorts: values.PROXY_CONNECT_PORTS ?? [],
        opaqueHosts: values.PROXY_OPAQUE_HOSTS,
        icap: values.PROXY_ICAP,
        icapTokenFile: values.PROXY_ICAP_TOKEN_FILE,
        published: values.PROXY_PUBLISHED,
        run: values.PROXY_RUN,
        originCa: values.PROXY_ORIGIN_CA,
        hosts: values.PROXY_HOSTS,
        auth: values.PROXY_AUTH,
        authExcept: values.PROXY_AUTH_EXCEPT ?? [],
        include: values.PROXY_INCLUDE,
        clientConnections: values.PROXY_CLIENT_CONNECTIONS,
        accessLog: log === 'off' ? undefined : log,
        accessLogFormat: values.PROXY_ACCESS_LOG_FORMAT,
        isInContainer: values.PROXY_IN_CONTAINER === 'yes',
        operator: values.GATEWAY_ORG_NAME ?? (values.GATEWAY_CAPTIVE_BRAND_COMPANY || undefined),
        product: values.GATEWAY_CAPTIVE_BRAND_PRODUCT,
        palette: values.GATEWAY_CAPTIVE_BRAND_PALETTE,
      },
    }
  },
)
