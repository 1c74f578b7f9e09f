// `proxy doctor`: checks the proxy from where a browser is, through the proxy itself, and gives advice.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { host as hostShape } from '../../settings/shapes.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { bad, type Finding } from '../doctor/finding.ts'
import { report } from '../doctor/report.ts'
import { checkLocalAddresses, checkManager, checkPorts } from './access.ts'
import { checkAsked, checkDatabase, checkDecisions, checkFailure, checkSecret, checkStopped } from './asking.ts'
import { checkClocks } from './clocks.ts'
import { checkDecryption, checkProxyCa } from './decryption.ts'
import { describeGateway, GATEWAY, type Gateway, type GatewayOptions, withGatewayOptions } from './gateway.ts'
import { checkExempt, checkVerification } from './origins.ts'
import { checkPortal } from './portal.ts'
import { checkReached, type Probe, probe } from './probe.ts'

interface DoctorOptions extends GatewayOptions {
  readonly exempt?: string
  readonly stopped?: URL
  readonly untrusted?: URL
}

type Check = (
  gateway: Gateway,
  probe: Probe,
  more: { readonly clock: () => number; readonly options: DoctorOptions },
) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>

/** The key names a check that throws. */
const CHECKS: Readonly<Record<string, Check>> = {
  decrypts: checkDecryption,
  'proxy-ca': (gateway, probe, { clock }) => checkProxyCa(gateway, probe, clock()),
  'asks-engine': checkAsked,
  'this-engine': checkDecisions,
  secret: checkSecret,
  database: checkDatabase,
  'fails-closed': checkFailure,
  stops: (gateway, _, { options }) => checkStopped(gateway, options.stopped),
  portal: checkPortal,
  exempt: (gateway, probe, { options }) => checkExempt(gateway, probe, options.exempt),
  verifies: (gateway, _, { options }) => checkVerification(gateway, options.untrusted),
  'denies-local': checkLocalAddresses,
  'denies-manager': checkManager,
  'denies-ports': checkPorts,
  clock: (gateway, _, { clock }) => checkClocks(gateway, clock),
}

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
      'gatewayctl proxy doctor --json | jq \'.findings[] | select(.result == "bad")\'',
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
      report(context, await examine(await describeGateway(context, options), context, options), options.json)
    })
}

async function examine(gateway: Gateway, { clock }: Context, options: DoctorOptions): Promise<readonly Finding[]> {
  const seen = await probe(gateway)
  const reached = checkReached(gateway, seen)
  // Without it every other check would fail for the same reason.
  const first = [gateway.missingVariables ?? [], reached].flat()
  if (reached.result === 'bad') return first
  const findings = await Promise.all(
    Object.entries(CHECKS).map(async ([name, check]) => {
      try {
        return await check(gateway, seen, { clock, options })
      } catch (error) {
        const advice = `check what ${gateway.name} and the servers behind it log`
        return bad(name, `requests through ${gateway.name}`, (error as Error).message, advice)
      }
    }),
  )
  return [...first, ...findings.flat()]
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
