// `proxy status`: an overview of the proxy and what it depends on.
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { secretFinding } from '../deployment/portal-keys.ts'
import { run } from '../deployment/run-program.ts'
import { writeFault } from '../engine/database-fault.ts'
import { counted } from '../engine/load-result.ts'
import { Failure } from '../failure.ts'
import { findingLines, type Finding as NamedFinding } from '../terminal/findings.ts'
import { printableJson } from '../terminal/printable.ts'
import { checkAsked, readEngineStatus } from './asking.ts'
import { checkProxyCa } from './decryption.ts'
import { describeGateway, GATEWAY, type Gateway, type GatewayOptions, withGatewayOptions } from './gateway.ts'
import { checkReached, type Probe, probe } from './probe.ts'

type Finding = NamedFinding<'proxy' | 'version' | 'decisions' | 'engine' | 'secret' | 'proxy-ca' | 'exempt'>

export function proxyStatusCommand(context: Context): Command {
  const command = createCommand(context, 'status', {
    purpose: 'Reports whether the proxy responds, requests decisions, and has a valid CA.',
    details: `
Run it on a machine that the proxy serves. The exit code is 1 when something is
wrong; gatewayctl proxy doctor checks more, and gives advice.
${GATEWAY}`,
    examples: ['gatewayctl proxy status', 'gatewayctl proxy status --proxy 192.0.2.1:3128 --json'],
  })
  return withGatewayOptions(command).action(async (options: GatewayOptions) => {
    const gateway = await describeGateway(context, options)
    const seen = await probe(gateway)
    const findings = [
      ...(await proxyFindings(gateway, seen, context)),
      ...(await engineFindings(gateway)),
      caFinding(gateway, seen, context.clock()),
      exemptFinding(gateway),
    ]
    const isWrong = findings.some(({ state }) => state === 'wrong')
    if (options.json) context.stdout.write(`${printableJson({ ok: !isWrong, findings }, 2)}\n`)
    else context.stdout.write(findingLines(context, findings))
    if (isWrong) throw new Failure()
  })
}

async function proxyFindings(gateway: Gateway, seen: Probe, context: Context): Promise<readonly Finding[]> {
  if (lacksUser(gateway, seen)) {
    return [
      { name: 'proxy', state: 'ok', says: `${gateway.name} responds, and requires a user` },
      await versionFinding(gateway, context),
      { name: 'decisions', state: 'unknown', says: 'not tried: --credentials names a file with NAME:PASSWORD' },
    ]
  }
  const reached = checkReached(gateway, seen)
  const proxy: Finding = { name: 'proxy', state: reached.result === 'good' ? 'ok' : 'wrong', says: reached.seen }
  if (reached.result === 'bad') return [proxy]
  const asked = checkAsked(gateway, seen)
  return [
    proxy,
    await versionFinding(gateway, context),
    asked.result === 'good'
      ? { name: 'decisions', state: 'ok', says: 'the engine makes them, over http and in decrypted connections' }
      : { name: 'decisions', state: 'wrong', says: asked.seen },
  ]
}

/** With PROXY_AUTH that is how it should be: a wrong password would be refused, too. */
function lacksUser({ proxy }: Gateway, { plain }: Probe): boolean {
  return !(plain instanceof Error) && plain.status === 407 && Object.keys(proxy.fields).length === 0
}

/** The shipped configuration hides it from clients. */
async function versionFinding({ configuration, configurationPath }: Gateway, { env }: Context): Promise<Finding> {
  const name = 'version'
  if (typeof configuration === 'string')
    return { name, state: 'unknown', says: `not reported to clients; ${configuration}` }
  const path = `${env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`
  const { stdout } = await run(['squid', '-v'], { cwd: dirname(configurationPath), env: { PATH: path }, seconds: 10 })
  const [, version] = /Version (\S+)/.exec(stdout) ?? []
  return version === undefined
    ? { name, state: 'unknown', says: 'Squid is not installed here' }
    : { name, state: 'ok', says: `Squid ${version}` }
}

async function engineFindings(gateway: Gateway): Promise<readonly Finding[]> {
  const { engine, portalKeys } = gateway
  if (typeof engine === 'string') return [{ name: 'engine', state: 'unknown', says: engine }]
  try {
    const { decisions, kid, database } = await readEngineStatus(gateway)
    const says = `${engine.url.origin} responds; ${counted(decisions.icap, 'decision')} for proxies since its start`
    const fault = writeFault(database)
    return [
      fault === undefined
        ? { name: 'engine', state: 'ok', says }
        : { name: 'engine', state: 'wrong', says: `its database: ${fault}` },
      secretFinding(kid, portalKeys),
    ]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: 'engine', state: 'wrong', says: error.message }]
  }
}

function caFinding(gateway: Gateway, seen: Probe, now: number): Finding {
  const { result, seen: says } = checkProxyCa(gateway, seen, now)
  return { name: 'proxy-ca', state: ({ good: 'ok', bad: 'wrong', skipped: 'unknown' } as const)[result], says }
}

function exemptFinding({ published: { exemptHosts, exemptClients } }: Gateway): Finding {
  if (typeof exemptHosts === 'string') return { name: 'exempt', state: 'unknown', says: exemptHosts }
  const clients = typeof exemptClients === 'string' ? 0 : exemptClients.length
  return {
    name: 'exempt',
    state: 'ok',
    says: `not decrypted: ${counted(exemptHosts.length, 'host')}, ${counted(clients, 'network')} of clients`,
  }
}
