// `portal doctor`: checks a deployment from outside, as a visitor's browser would, and gives advice.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseHostAndPort } from '../../../network/host-and-port.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { missingInstallation } from '../../deployment/installation.ts'
import { PORTAL_VARIABLES } from '../../deployment/portal-variables.ts'
import { type Finding, skipped } from '../../doctor/finding.ts'
import { report } from '../../doctor/report.ts'
import { type Found, runChecks } from '../../doctor/run-checks.ts'
import { Failure } from '../../failure.ts'
import { portalFindings } from '../status.ts'
import { checkAddress, checkDns } from './address.ts'
import { checkCertificatePage, checkDownloads } from './certificate.ts'
import { type Connect, type Deployment, describeDeployment } from './deployment.ts'
import { checkClocks, checkSecret } from './engine.ts'
import { checkHeaders, checkHealth, checkTls } from './https.ts'
import { checkPlainCertificatePage, checkRedirects } from './plain-http.ts'
import { checkProxy } from './proxy.ts'

interface DoctorOptions {
  readonly connectHttp?: Connect
  readonly connectHttps?: Connect
  readonly json?: true
}

type Check = (deployment: Deployment, context: Context) => Found | Promise<Found>

/** What is seen from outside; the key names a check that throws. */
const CHECKS: Readonly<Record<string, Check>> = {
  variables: ({ missingVariables }) => missingVariables,
  address: checkAddress,
  dns: checkDns,
  'http-redirect': checkRedirects,
  'http-ca': checkPlainCertificatePage,
  tls: (deployment, { clock }) => checkTls(deployment, clock()),
  health: checkHealth,
  headers: checkHeaders,
  'ca-page': checkCertificatePage,
  'ca-downloads': checkDownloads,
  clock: (deployment, { clock }) => checkClocks(deployment, clock),
  secret: checkSecret,
  proxy: (deployment, { env }) => checkProxy(deployment, env),
}

const ON_ERROR =
  'check that the terminator runs and publishes this port, and that no firewall blocks it; --connect-http and --connect-https connect to it directly'

export function portalDoctorCommand(context: Context): Command {
  return createCommand(context, 'doctor', {
    purpose: 'Checks a deployment from outside, as a browser would, and gives advice.',
    details: `
It compares the portal's variables with the published address: name, plain-http
port, certificate, health, headers, the certificate page and its downloads,
clocks, and the environment's proxy. Where the portal runs it has the checks of
gatewayctl portal status, too. The exit code is 1 when something is failing.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal doctor',
      'gatewayctl portal doctor --json | jq \'.findings[] | select(.state == "failing")\'',
      'gatewayctl portal doctor --connect-http 192.0.2.7:80 --connect-https 192.0.2.7:443',
    ],
  })
    .addOption(
      new Option('--connect-http <host:port>', 'connect there for plain http, whatever the name resolves to').argParser(
        parseConnect,
      ),
    )
    .addOption(new Option('--connect-https <host:port>', 'the same for https').argParser(parseConnect))
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async (options: DoctorOptions) => {
      const { connectHttp, connectHttps } = options
      const deployment = await describeDeployment(context, {
        ...(connectHttp !== undefined && { http: connectHttp }),
        ...(connectHttps !== undefined && { https: connectHttps }),
      })
      const checks = Object.entries(CHECKS).map(([name, check]) => [name, () => check(deployment, context)] as const)
      const [here, outside] = await Promise.all([
        findingsHere(context),
        runChecks(checks, {
          tried: `${deployment.plainOrigin} and ${deployment.address.baseUrl}`,
          advice: ON_ERROR,
        }),
      ])
      report(context, mergeFindings(here, outside), options)
    })
}

/** Those of `portal status` where a portal runs on this machine; a doctor may run where visitors are. */
async function findingsHere(context: Context): Promise<readonly Finding[]> {
  const tried = 'what gatewayctl portal status checks'
  try {
    const findings = await portalFindings(context)
    const isElsewhere = missingInstallation(context.env) !== undefined && findings[0]?.state === 'failing'
    return isElsewhere ? [skipped('portal', tried, 'no portal runs on this machine')] : findings
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [skipped('portal', tried, error.message)]
  }
}

/** Of two findings of one check, the one that was not skipped. */
function mergeFindings(here: readonly Finding[], outside: readonly Finding[]): readonly Finding[] {
  const isKnown = ({ check }: Finding, others: readonly Finding[]) =>
    others.some((other) => other.check === check && other.state !== 'skipped')
  const kept = here.filter((finding) => finding.state !== 'skipped' || !isKnown(finding, outside))
  return [...outside.filter((finding) => !isKnown(finding, kept)), ...kept]
}

function parseConnect(text: string): Connect {
  const connect = parseHostAndPort(text)
  if (connect === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return connect
}
