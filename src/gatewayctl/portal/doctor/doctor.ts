// `portal doctor`: checks a deployment from outside, as a visitor's browser would, and gives advice.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseHostAndPort } from '../../../network/host-and-port.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { PORTAL_VARIABLES } from '../../deployment/portal-variables.ts'
import { bad, type Finding } from '../../doctor/finding.ts'
import { report } from '../../doctor/report.ts'
import { checkAddress, checkDns } from './address.ts'
import { checkCertificatePage, checkDownloads } from './certificate.ts'
import { checkDatabase } from './database.ts'
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
type Found = Finding | readonly Finding[] | undefined

/** The key names a check that throws. */
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
  database: (_, context) => checkDatabase(context),
  proxy: (deployment, { env }) => checkProxy(deployment, env),
}

export function portalDoctorCommand(context: Context): Command {
  return createCommand(context, 'doctor', {
    purpose: 'Checks a deployment from outside, as a browser would, and gives advice.',
    details: `
It compares the portal's variables with the published address: name, plain-http
port, certificate, health, headers, the certificate page and its downloads,
clocks, and the environment's proxy. The exit code is 1 when something is wrong.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal doctor',
      'gatewayctl portal doctor --json | jq \'.findings[] | select(.result == "bad")\'',
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
    .action(async ({ connectHttp, connectHttps, json }: DoctorOptions) => {
      const deployment = await describeDeployment(context, {
        ...(connectHttp !== undefined && { http: connectHttp }),
        ...(connectHttps !== undefined && { https: connectHttps }),
      })
      const findings = (
        await Promise.all(Object.entries(CHECKS).map(([name, check]) => runCheck(name, check, deployment, context)))
      ).flat()
      report(context, findings, json)
    })
}

function parseConnect(text: string): Connect {
  const connect = parseHostAndPort(text)
  if (connect === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return connect
}

async function runCheck(
  name: string,
  check: Check,
  deployment: Deployment,
  context: Context,
): Promise<readonly Finding[]> {
  try {
    return [await check(deployment, context)].flat().filter((finding) => finding !== undefined)
  } catch (error) {
    return [
      bad(
        name,
        `${deployment.plainOrigin} and ${deployment.address.baseUrl}`,
        (error as Error).message,
        'check that the terminator runs and publishes this port, and that no firewall blocks it; --connect-http and --connect-https connect to it directly',
      ),
    ]
  }
}
