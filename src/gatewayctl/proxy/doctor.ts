// `proxy doctor`: checks the proxy from where a browser is, through the proxy itself, and gives advice.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { host as hostShape } from '../../settings/shapes.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { report } from '../doctor/report.ts'
import { CHECKS, type DoctorOptions, runNamed } from './checks.ts'
import { describeGateway, GATEWAY, withGatewayOptions } from './gateway.ts'
import { checkReached, probe } from './probe.ts'

export function proxyDoctorCommand(context: Context): Command {
  const command = createCommand(context, 'doctor', {
    purpose: 'Checks the proxy through the proxy itself, as a browser would, and gives advice.',
    details: `
Run it on a machine that the proxy serves. It requests names that do not exist,
addresses that have to be denied, and the portal; exempt hosts see a TLS
handshake, without a request. What Squid does when the engine or a certificate
fails, it reads from squid.conf in PROXY_RUN: on the proxy's machine, as root.
Whether the proxy denies strangers can only be tried from a network outside.
${GATEWAY}`,
    examples: [
      'gatewayctl proxy doctor',
      'gatewayctl proxy doctor --proxy 192.0.2.1:3128 --stopped https://casino.example/',
      'gatewayctl proxy doctor --exempt bank.example --untrusted https://self-signed.badssl.com/',
      'gatewayctl proxy doctor --json | jq \'.findings[] | select(.state == "failing")\'',
    ],
  })
  return withGatewayOptions(command)
    .addOption(
      new Option('--exempt <host>', 'a host that must not be decrypted, instead of published ones').argParser(
        parseHost,
      ),
    )
    .addOption(new Option('--stopped <url>', 'a URL that the policy stops').argParser(parseUrl(/^https?:$/)))
    .addOption(
      new Option(
        '--untrusted <url>',
        'an https site that the policy allows and whose certificate is invalid',
      ).argParser(parseUrl(/^https:$/)),
    )
    .action(async (options: DoctorOptions) => {
      const gateway = await describeGateway(context, options)
      const seen = await probe(gateway)
      const reached = checkReached(gateway, seen)
      // Without it every other check would fail for the same reason.
      const checks = reached.state === 'failing' ? [] : Object.keys(CHECKS)
      const findings = await runNamed(checks, gateway, seen, { ...context, options })
      report(context, [gateway.missingVariables ?? [], reached, findings].flat(), options)
    })
}

function parseHost(text: string): string {
  const { data } = hostShape.safeParse(text.replace(/^\./, ''))
  if (data === undefined) throw new InvalidArgumentError('It must be a host name in ASCII.')
  return data
}

const parseUrl = (scheme: RegExp) => (text: string) => {
  const url = URL.parse(text)
  if (url === null || !scheme.test(url.protocol)) throw new InvalidArgumentError('It must be a whole URL.')
  return url
}
