// `portal status`: an overview of the portal and its dependencies.
import { X509Certificate } from 'node:crypto'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { loadDatabase } from '../../config/load-database.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { findRuntime } from '../deployment/find-runtime.ts'
import { GATEWAY_HOME } from '../deployment/installation.ts'
import { opsUrl, type ProbeResult, portalUrl } from '../deployment/probe.ts'
import type { Instance } from '../deployment/runtime.ts'
import { EXIT_FAILED, Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { type Colour, createStyle } from '../terminal/style.ts'
import { findGateway, type Gateway } from './aup/gateway.ts'
import { aupState, shownTexts } from './aup/status.ts'
import { parseHealth, portalFault } from './aup/watch.ts'
import { memoryNotice } from './recorded-acceptances.ts'

interface Finding {
  readonly name: 'portal' | 'version' | 'engine' | 'database' | 'acceptances' | 'certificate' | 'policy'
  /** A warning leaves the exit code at 0; off is intended; unknown could not be determined. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'off' | 'unknown'
  readonly says: string
}

const COLOURS: Readonly<Record<Finding['state'], Colour | undefined>> = {
  ok: 'green',
  warning: 'yellow',
  wrong: 'red',
  off: undefined,
  unknown: 'yellow',
}
const DAY_MS = 86_400_000
const readinessShape = z.object({
  checks: z.object({ database: z.object({ state: z.string(), says: z.string() }) }),
})

export function portalStatus(context: Context): Command {
  return createCommand(context, 'status', {
    purpose: 'Reports whether the portal and its dependencies are healthy.',
    details: `
It checks from the portal's container: health, engine, database, validity of the
interception CA, policy. The exit code is 1 when something is wrong.
${GATEWAY_HOME}`,
    examples: ['gatewayctl portal status', 'gatewayctl portal status --json'],
  })
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async ({ json }: { readonly json?: true }) => {
      const gateway = findGateway(context)
      const findings = [...(await portalFindings(context, gateway)), await policyFinding(gateway)]
      const isWrong = findings.some(({ state }) => state === 'wrong')
      if (json) context.stdout.write(`${printableJson({ ok: !isWrong, findings }, 2)}\n`)
      else {
        const style = createStyle(context)
        const line = ({ name, state, says }: Finding) =>
          `${name.padEnd(12)} ${style(COLOURS[state], state.padEnd(8))} ${says.split('\n').map(printable).join(' ')}`
        context.stdout.write(`${findings.map(line).join('\n')}\n`)
      }
      if (isWrong) process.exitCode = EXIT_FAILED
    })
}

async function portalFindings(context: Context, { installation }: Gateway): Promise<readonly Finding[]> {
  try {
    const runtime = await findRuntime(context, installation)
    const instances = await runtime.instances()
    const fault = await portalFault(instances)
    const shown = instances.map(({ name, status, health, image }) =>
      [name, status, health, image].filter((part) => part !== undefined).join(' '),
    )
    const says = `${runtime.name}: ${fault ?? shown.join(', ')}`
    const portal: Finding = { name: 'portal', state: fault === undefined ? 'ok' : 'wrong', says }
    const running = instances.find((instance) => instance.running)
    return running === undefined ? [portal] : [portal, ...(await surroundings(context, running))]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name: 'portal', state: 'wrong', says: error.message }]
  }
}

async function surroundings({ clock }: Context, instance: Instance): Promise<readonly Finding[]> {
  const { variables } = instance
  const [health, certificate] = [portalUrl(variables, '/healthz'), portalUrl(variables, '/ca.crt')]
  const ready = opsUrl(variables, '/readyz')
  const engine = listenerOf(variables.ENGINE_INTERNAL_URL ?? 'https://engine:11225')
  const database = databaseOf(instance)
  const answers = await instance.probe({
    urls: [health, certificate, ready],
    listeners: [engine, database.listener].filter((listener) => listener !== undefined),
  })
  const notice = await memoryNotice(instance)
  return [
    versionFinding(answers.urls[health]),
    engineFinding(engine, answers),
    databaseFinding(database, answers.urls[ready], answers),
    ...(notice === undefined ? [] : [{ name: 'acceptances', state: 'warning', says: notice } as const]),
    certificateFinding(answers.urls[certificate], clock()),
  ]
}

type Answer = ProbeResult['urls'][string] | undefined

function versionFinding(answer: Answer): Finding {
  const health = typeof answer === 'object' ? parseHealth(answer.body) : undefined
  if (health === undefined) return { name: 'version', state: 'unknown', says: '/healthz does not report it' }
  return { name: 'version', state: 'ok', says: `${health.version} ${health.release_type}`.trim() }
}

function engineFinding(listener: string | undefined, { listeners }: ProbeResult): Finding {
  if (listener === undefined) return { name: 'engine', state: 'off', says: 'ENGINE_INTERNAL_URL is empty' }
  const reason = listeners[listener]
  return reason === null
    ? { name: 'engine', state: 'ok', says: `reachable at ${listener}` }
    : { name: 'engine', state: 'wrong', says: `not reachable at ${listener}: ${reason}` }
}

/** The part of the database's URL that may be shown. */
function databaseOf({ variables }: Instance): { readonly says: string; readonly listener?: string } {
  try {
    const { GATEWAY_CAPTIVE_DATABASE_URL } = variables
    const location = loadDatabase({ GATEWAY_CAPTIVE_DATABASE_URL })
    if (location.dialect === 'sqlite') return { says: `SQLite, ${location.path}` }
    const { hostname, port } = new URL(location.url)
    const listener = `${hostname}:${port || '5432'}`
    return { says: `PostgreSQL at ${listener}`, listener }
  } catch {
    return { says: 'named by a file that only the portal reads' }
  }
}

function databaseFinding(
  { says, listener }: ReturnType<typeof databaseOf>,
  readiness: Answer,
  { listeners }: ProbeResult,
): Finding {
  const reason = listener === undefined ? null : (listeners[listener] ?? null)
  if (reason !== null) return { name: 'database', state: 'wrong', says: `${says}: ${reason}` }
  if (typeof readiness !== 'object') {
    // The portal would not have started without its ledger.
    const state = listener === undefined && !says.startsWith('SQLite') ? 'unknown' : 'ok'
    return { name: 'database', state, says }
  }
  const check = parseDatabaseCheck(readiness.body)
  return check?.state === 'ok'
    ? { name: 'database', state: 'ok', says }
    : { name: 'database', state: 'wrong', says: `${says}: ${check?.says ?? '/readyz does not report it'}` }
}

/** The database's part of `/readyz`. */
function parseDatabaseCheck(body: string) {
  try {
    return readinessShape.parse(JSON.parse(body)).checks.database
  } catch {
    return undefined
  }
}

function certificateFinding(answer: Answer, now: number): Finding {
  if (typeof answer !== 'object' || answer.status !== 200) {
    return { name: 'certificate', state: 'off', says: 'no interception CA is published' }
  }
  try {
    const { validToDate } = new X509Certificate(answer.body)
    const days = Math.floor((validToDate.getTime() - now) / DAY_MS)
    const says = `${days} days left, until ${validToDate.toISOString()}`
    return { name: 'certificate', state: days < 0 ? 'wrong' : 'ok', says }
  } catch {
    return { name: 'certificate', state: 'wrong', says: '/ca.crt is no certificate' }
  }
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

function listenerOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  if (parsed === null) return undefined
  return `${parsed.hostname}:${parsed.port || (parsed.protocol === 'http:' ? '80' : '443')}`
}
