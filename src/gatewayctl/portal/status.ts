// `portal status`: an overview of the portal and its dependencies.
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { findRuntime } from '../deployment/find-runtime.ts'
import { GATEWAY_HOME, missingInstallation } from '../deployment/installation.ts'
import { portalOnThisHost } from '../deployment/own-address.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { portalUrl } from '../deployment/probe.ts'
import { Failure } from '../failure.ts'
import { findingLines } from '../terminal/findings.ts'
import { printableJson } from '../terminal/printable.ts'
import { findGateway, type Gateway } from './aup/gateway.ts'
import { aupState, shownTexts } from './aup/status.ts'
import { healthFault, portalTrouble } from './aup/watch.ts'
import { dependencyFindings, type Finding } from './dependencies.ts'

export function portalStatusCommand(context: Context): Command {
  return createCommand(context, 'status', {
    purpose: 'Reports whether the portal and its dependencies are healthy.',
    details: `
It checks from the portal's container: health, engine, shared secret, database,
validity of the interception CA, policy. If the portal does not stay up, it
shows its last log lines. Without the gateway's folder it checks the portal at
its own address on this host. The exit code is 1 when something is wrong.
${GATEWAY_HOME}`,
    examples: ['gatewayctl portal status', 'gatewayctl portal status --json'],
  })
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async ({ json }: { readonly json?: true }) => {
      const missing = missingInstallation(context.env)
      const findings = missing === undefined ? await allFindings(context) : await ownFindings(context, missing)
      const isWrong = findings.some(({ state }) => state === 'wrong')
      if (json) context.stdout.write(`${printableJson({ ok: !isWrong, findings }, 2)}\n`)
      else context.stdout.write(findingLines(context, findings))
      if (isWrong) throw new Failure()
    })
}

async function allFindings(context: Context): Promise<readonly Finding[]> {
  const gateway = findGateway(context)
  return [...(await portalFindings(context, gateway)), await policyFinding(gateway)]
}

async function portalFindings(context: Context, { installation }: Gateway): Promise<readonly Finding[]> {
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
        ? { name: 'portal', state: 'ok', says: `${runtime.name}: ${shown.join(', ')}` }
        : {
            ...{ name: 'portal', state: 'wrong', says: `${runtime.name}: ${trouble.reason}` },
            ...(trouble.logLines.length > 0 && { log_lines: trouble.logLines }),
          }
    const running = instances.find((instance) => instance.running)
    return running === undefined ? [portal] : [portal, ...(await dependencyFindings(context, running))]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: 'portal', state: 'wrong', says: error.message }]
  }
}

/**
 * About a portal on this host, at the address in its variables or their defaults.
 * @param missing why nothing else can be checked
 */
async function ownFindings(context: Context, missing: string): Promise<readonly Finding[]> {
  const portal = portalOnThisHost(context.env, portalVariables(context.env))
  const url = portalUrl(portal.variables, '/healthz')
  const fault = await healthFault(portal)
  const unchecked = `not checked: ${missing}; GATEWAY_HOME names the folder of the gateway`
  return [
    fault === undefined
      ? { name: 'portal', state: 'ok', says: `${url} responds` }
      : { name: 'portal', state: 'wrong', says: `${url}: the portal ${fault}` },
    { name: 'container', state: 'unknown', says: unchecked },
    ...(fault === undefined ? await dependencyFindings(context, portal) : []),
    { name: 'policy', state: 'unknown', says: unchecked },
  ]
}

async function policyFinding({ installation, texts }: Gateway): Promise<Finding> {
  const state = await aupState(installation, texts)
  const shown = shownTexts(state).join('; ')
  if (state.enabled && state.problems.length > 0) {
    return { name: 'policy', state: 'wrong', says: state.problems.join(' ') }
  }
  return state.enabled
    ? { name: 'policy', state: 'ok', says: `your own: ${shown}` }
    : { name: 'policy', state: 'off', says: 'the built-in one' }
}
