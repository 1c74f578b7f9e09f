// Whether a browser gets the portal's pages from the terminator of this machine, wherever the portal's name leads.
import { parseHostAndPort } from '../../network/host-and-port.ts'
import type { Environment } from '../../settings/reading.ts'
import type { Context } from '../context.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import type { Finding } from '../doctor/finding.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { type Connect, describeDeployment } from '../portal/doctor/deployment.ts'
import { checkTls } from '../portal/doctor/https.ts'

/** @throws {Failure} @throws {ConfigProblems} */
export async function terminatorFindings(context: Context): Promise<readonly Finding[]> {
  const deployment = await describeDeployment(context, { https: listenerOf(context.env) })
  const { baseUrl, secure } = deployment.address
  if (!secure) return []
  return await runChecks([['terminator', () => checkTls(deployment, context.clock())]], {
    tried: `TLS to ${baseUrl} on this machine`,
    advice: 'journalctl -u gateway-terminator',
  })
}

/** The first of its addresses, as deploy/terminator/start reads them. */
function listenerOf(env: Environment): Connect {
  const variables = portalVariables(env, 'terminator')
  const words = variables.TERMINATOR_HTTPS?.trim() || variables.GATEWAY_CAPTIVE_HTTPS_PORT?.trim() || '443'
  const [first = ''] = words.split(/\s+/)
  return parseHostAndPort(/^\d+$/.test(first) ? `127.0.0.1:${first}` : first) ?? { host: '127.0.0.1', port: 443 }
}
