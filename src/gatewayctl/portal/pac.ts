// `portal pac`: a proxy auto-configuration file, for networks with an explicit proxy.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseHostAndPort } from '../../network/host-and-port.ts'
import { pacFile, parsePacHost } from '../../network/pac-file.ts'
import { loadSection } from '../../settings/load-section.ts'
import { deviceProxy } from '../../settings/sections/device-proxy.ts'
import { publicAddress } from '../../settings/sections/public-address.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { PORTAL_VARIABLES, portalVariables } from '../deployment/portal-variables.ts'
import { printable } from '../terminal/printable.ts'

interface PacOptions {
  readonly proxy: ReturnType<typeof parseHostAndPort>
  readonly direct: readonly string[] | undefined
}

export function pacCommand(context: Context): Command {
  const command = createCommand(context, 'pac', {
    purpose: 'Prints a proxy auto-configuration (PAC) file that reaches the portal directly.',
    details: `
Browsers reach GATEWAY_CAPTIVE_HOSTNAME and the base URL's host directly, but
not names that only look similar. Everything else goes to the proxy, even when
it is down. With GATEWAY_CAPTIVE_PROXY the portal serves the same file at
/proxy.pac; elsewhere, serve it as application/x-ns-proxy-autoconfig.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal pac --proxy proxy.example:3128 > proxy.pac',
      'gatewayctl portal pac --proxy 192.0.2.1:3128 --direct intranet.example wiki.example',
    ],
  })
    .addOption(
      new Option('--proxy <host:port>', 'where everything else goes (default: GATEWAY_CAPTIVE_PROXY)').argParser(
        parseProxy,
      ),
    )
    .addOption(
      new Option(
        '--direct <host...>',
        'further hosts that are reached directly (default: GATEWAY_CAPTIVE_PROXY_DIRECT)',
      ).argParser((text: string, before: readonly string[] = []) => [...before, parseDirect(text)]),
    )
  return command.action(({ proxy, direct }: PacOptions) => {
    const env = portalVariables(context.env)
    const { part, warnings } = loadSection(publicAddress, env)
    const { address, direct: configured } = loadSection(deviceProxy, env).part.deviceProxy
    const through = proxy ?? address
    if (through === undefined) return command.error('error: neither --proxy nor GATEWAY_CAPTIVE_PROXY names a proxy')
    const { hostname, baseUrl } = part.publicAddress
    for (const warning of warnings) context.stderr.write(`${printable(warning)}\n`)
    if (hostname === 'localhost') {
      context.stderr.write('GATEWAY_CAPTIVE_HOSTNAME is localhost, which is each visitor’s own machine.\n')
    }
    const portal = [hostname, new URL(baseUrl).hostname].flatMap((name) => parsePacHost(name) ?? [])
    context.stdout.write(pacFile(through, [...portal, ...(direct ?? configured)]))
  })
}

function parseProxy(text: string): NonNullable<PacOptions['proxy']> {
  const proxy = parseHostAndPort(text)
  if (proxy === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return proxy
}

function parseDirect(text: string): string {
  const name = parsePacHost(text)
  if (name === undefined) throw new InvalidArgumentError('It must be a host name in ASCII or an IP address.')
  return name
}
