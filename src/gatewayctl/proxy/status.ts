// `proxy status`: the fast checks of `proxy doctor`.
import type { Command } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { type Finding, ok } from '../doctor/finding.ts'
import { report } from '../doctor/report.ts'
import { runNamed } from './checks.ts'
import { describeGateway, GATEWAY, type GatewayOptions, withGatewayOptions } from './gateway.ts'
import { checkReached, lacksUser, probe } from './probe.ts'

const FAST = ['version', 'uses-engine', 'this-engine', 'secret', 'database', 'lists', 'proxy-ca']

export function proxyStatusCommand(context: Context): Command {
  const command = createCommand(context, 'status', {
    purpose: 'Reports whether the proxy responds, requests decisions, and has a valid CA.',
    details: `
Run it on a machine that the proxy serves. The exit code is 1 when something is
failing; gatewayctl proxy doctor checks more.
${GATEWAY}`,
    examples: ['gatewayctl proxy status', 'gatewayctl proxy status --proxy 192.0.2.1:3128 --json'],
  })
  return withGatewayOptions(command).action(async (options: GatewayOptions) =>
    report(context, await proxyFindings(context, options), options),
  )
}

/** @throws {Failure} @throws {ConfigProblems} */
export async function proxyFindings(context: Context, options: GatewayOptions): Promise<readonly Finding[]> {
  const gateway = await describeGateway(context, options)
  const seen = await probe(gateway)
  // With PROXY_AUTH that is how it should be: a wrong password would be rejected, too.
  const reached = lacksUser(gateway, seen.plain)
    ? ok('proxy', `GET through ${gateway.name}`, `${gateway.name} responds, and requires a user`)
    : checkReached(gateway, seen)
  return [reached, ...(await runNamed(FAST, gateway, seen, { ...context, options }))]
}
