// `portal status`: an overview of the portal and its dependencies.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { findRuntime } from '../deployment/find-runtime.ts'
import { GATEWAY_HOME, missingInstallation } from '../deployment/installation.ts'
import { portalOnThisHost } from '../deployment/own-address.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { portalUrl } from '../deployment/probe.ts'
import type { Finding } from '../doctor/finding.ts'
import { report } from '../doctor/report.ts'
import { Failure } from '../failure.ts'
import { findGateway, type Gateway } from './aup/gateway.ts'
import { aupState, shownTexts } from './aup/status.ts'
import { healthFault, portalTrouble } from './aup/watch.ts'
import { dependencyFindings } from './dependencies.ts'

export function portalStatusCommand(context: Context): Command {
  return createCommand(context, 'status', {
    purpose: 'Reports whether the portal and its dependencies are healthy.',
    details: `
It checks from the portal's container: health, engine, shared secret, database,
validity of the interception CA, policy. If the portal does not stay up, it
shows its last log lines. Without the gateway's folder it checks the portal at
its own address on this host. The exit code is 1 when something is failing.
${GATEWAY_HOME}`,
    examples: ['gatewayctl portal status', 'gatewayctl portal status --json'],
  })
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async (options: { readonly json?: true }) => report(context, await portalFindings(context), options))
}

/** @throws {Failure} for a folder without an installation */
export async function portalFindings(context: Context): Promise<readonly Finding[]> {
  const missing = missingInstallation(context.env)
  if (missing !== undefined) return await ownFindings(context, missing)
  const gateway = findGateway(context)
  return [...(await instanceFindings(context, gateway)), await policyFinding(gateway)]
}

async function instanceFindings(context: Context, { installation }: Gateway): Promise<readonly Finding[]> {
  try {
    const runtime = await findRuntime(context, installation)
    const instances = await runtime.instances()
    const trouble = await portalTrouble(instances)
    const shown = instances.map(({ name, status, health, image, restarts }) =>
      [name, status, health, image, restarts > 0 ? `restarted ${restarts} times` : undefined]
        .filter((part) => part !== undefined)
        .join(' '),
    )
    const portal: Finding =
      trouble === undefined
        ? { check: 'portal', state: 'ok', detail: `${runtime.name}: ${shown.join(', ')}` }
        : {
            ...{ check: 'portal', state: 'failing', detail: `${runtime.name}: ${trouble.reason}` },
            ...(trouble.logLines.length > 0 && { log_lines: trouble.logLines }),
          }
    const running = instances.find((instance) => instance.running)
    return running === undefined ? [portal] : [portal, ...(await dependencyFindings(context, running))]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ check: 'portal', state: 'failing', detail: error.message }]
  }
}

/**
 * About a portal on this host, at the address in its variables or their defaults.
 * @param missing why nothing else can be checked
 */
export async function ownFindings(context: Context, missing: string): Promise<readonly Finding[]> {
  const portal = portalOnThisHost(context.env, portalVariables(context.env))
  const url = portalUrl(portal.variables, '/healthz')
  const fault = await healthFault(portal)
  const unchecked = `not checked: ${missing}; GATEWAY_HOME names the folder of the gateway`
  return [
    fault === undefined
      ? { check: 'portal', state: 'ok', detail: `${url} responds` }
      : { check: 'portal', state: 'failing', detail: `${url}: the portal ${fault}` },
    { check: 'container', state: 'skipped', detail: unchecked },
    ...(fault === undefined ? await dependencyFindings(context, portal) : []),
    { check: 'policy', state: 'skipped', detail: unchecked },
  ]
}

async function policyFinding({ installation, texts }: Gateway): Promise<Finding> {
  const state = await aupState(installation, texts)
  const shown = shownTexts(state).join('; ')
  if (state.enabled && state.problems.length > 0) {
    return { check: 'policy', state: 'failing', detail: state.problems.join(' ') }
  }
  return state.enabled
    ? { check: 'policy', state: 'ok', detail: `your own: ${shown}` }
    : { check: 'policy', state: 'off', detail: 'the built-in one' }
}
