// `portal pac`: the proxy auto-configuration file for networks where browsers are told of a proxy.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseHostAndPort } from '../../config/host-and-port.ts'
import { loadSection } from '../../config/load-section.ts'
import { pacFile, parsePacHost } from '../../config/pac.ts'
import { publicAddress } from '../../config/public-address.ts'
import { PORTAL_VARIABLES, portalVariables } from '../deployment/portal-variables.ts'
import { printable } from '../printable.ts'
import { verb } from '../verb.ts'
import type { World } from '../world.ts'

interface PacOptions {
  readonly proxy: NonNullable<ReturnType<typeof parseHostAndPort>>
  readonly direct: readonly string[]
}

export function printPac(world: World): Command {
  return verb(world, 'pac', {
    purpose: 'Prints a proxy auto-configuration (PAC) file that reaches the portal directly.',
    details: `
GATEWAY_CAPTIVE_HOSTNAME and the base URL's host, and no other name that looks
like them, are reached directly; everything else goes to the proxy, and nowhere
else when the proxy is down. Serve it as application/x-ns-proxy-autoconfig.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal pac --proxy proxy.example:3128 > proxy.pac',
      'gatewayctl portal pac --proxy 192.0.2.1:3128 --direct intranet.example wiki.example',
    ],
  })
    .addOption(
      new Option('--proxy <host:port>', 'where everything else goes').argParser(parseProxy).makeOptionMandatory(),
    )
    .addOption(
      new Option('--direct <host...>', 'further hosts that are reached directly')
        .argParser((text: string, before: readonly string[]) => [...before, parseDirect(text)])
        .default([], 'none'),
    )
    .action(({ proxy, direct }: PacOptions) => {
      const { part, warnings } = loadSection(publicAddress, portalVariables(world.env))
      const { hostname, baseUrl } = part.publicAddress
      for (const warning of warnings) world.stderr.write(`${printable(warning)}\n`)
      if (hostname === 'localhost') {
        world.stderr.write('GATEWAY_CAPTIVE_HOSTNAME is localhost, which is each visitor’s own machine.\n')
      }
      const portal = [hostname, new URL(baseUrl).hostname].flatMap((name) => parsePacHost(name) ?? [])
      world.stdout.write(pacFile(proxy, [...portal, ...direct]))
    })
}

function parseProxy(text: string): PacOptions['proxy'] {
  const proxy = parseHostAndPort(text)
  if (proxy === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return proxy
}

function parseDirect(text: string): string {
  const name = parsePacHost(text)
  if (name === undefined) throw new InvalidArgumentError('It must be a host name in ASCII or an IP address.')
  return name
}
