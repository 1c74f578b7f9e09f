// Whether the proxy requests decisions, from the engine that gatewayctl administers, and where a stopped request leads.
import type { EngineStatus } from '../../contract/administration.ts'
import { secretFinding } from '../deployment/portal-keys.ts'
import { type Finding, failing, ok, skipped, verdictOn } from '../doctor/finding.ts'
import { sendThrough } from '../doctor/proxy.ts'
import { type Response, send } from '../doctor/request.ts'
import { callEngine } from '../engine/client.ts'
import { writeFault } from '../engine/database-fault.ts'
import { journalFinding } from '../engine/journal-finding.ts'
import { listsFinding } from '../engine/lists-finding.ts'
import { counted } from '../engine/load-result.ts'
import { Failure } from '../failure.ts'
import type { Gateway } from './gateway.ts'
import { describe, isFromEngine, isOutage, newName, type Probe, type Seen, userFault } from './probe.ts'
import { bypassFaults } from './squid-configuration.ts'

export function checkUsesEngine(gateway: Gateway, { host, plain, decrypted }: Probe): Finding {
  const tried = `a request that every engine refuses: http and https to ${host}.0 through ${gateway.name}`
  const notTried = userFault(gateway, plain)
  if (notTried !== undefined) return skipped('uses-engine', tried, `not tried: ${notTried}`)
  const fault = (kind: string, seen: Seen) =>
    isFromEngine(seen) ? [] : [`${kind}: ${describe(seen)} instead of the engine’s 400 without content`]
  const faults = [...fault('http', plain), ...fault('https', decrypted)]
  return verdictOn('uses-engine', tried, faults, {
    detail: 'the engine responds, over http and in decrypted connections',
    advice: [plain, decrypted].some(isOutage)
      ? 'start the engine; set PROXY_ICAP to the address of its [icap] listener, and PROXY_ICAP_TOKEN_FILE to a file with the token of [icap] token_file; the engine’s log names what it rejects'
      : 'configure Squid to send every request to the engine: icap_enable on, and adaptation_access allow all (deploy/proxy/squid.conf)',
  })
}

/** A failing engine shows it; otherwise only the configuration does, because a gateway in use needs its engine. */
export function checkFailure(
  { configuration, configurationPath, name }: Gateway,
  { plain, decrypted }: Probe,
): Finding {
  const advice = 'set bypass=off for each icap_service, icap_enable on, and restart Squid'
  if (isOutage(plain) && isOutage(decrypted)) {
    return ok('fails-closed', `requests through ${name} while the engine does not respond`, '500: no request passes')
  }
  const tried = `bypass in ${configurationPath}`
  if ('reason' in configuration) {
    return skipped(
      'fails-closed',
      tried,
      `${configuration.reason}; run this on the proxy’s machine as root, with PROXY_RUN; or stop the engine of a test system and run this again`,
    )
  }
  return verdictOn('fails-closed', tried, bypassFaults(configuration), { detail: 'bypass=off', advice })
}

/** @throws {Failure} */
async function readEngineStatus({ engine }: Gateway): Promise<EngineStatus> {
  if ('reason' in engine) throw new Failure(engine.reason)
  return await callEngine(engine, 'status', {}, 10)
}

/** Visitors who accept or enter a code get 503 where the engine cannot store that. */
export async function checkDatabase(gateway: Gateway): Promise<Finding> {
  const { engine } = gateway
  const tried = 'whether the engine can write to its database'
  if ('reason' in engine) return skipped('database', tried, engine.reason)
  const fault = writeFault((await readEngineStatus(gateway)).database)
  return verdictOn('database', tried, fault === undefined ? [] : [`its database: ${fault}`], {
    detail: 'acknowledgements can be stored',
    advice: 'free space there, or start the database of [state] url',
  })
}

/** A list whose file cannot be read has been what it was, or nothing, ever since. */
export async function checkLists(gateway: Gateway): Promise<Finding> {
  const { engine } = gateway
  const tried = 'whether the files of the policy’s lists are in force'
  if ('reason' in engine) return skipped('lists', tried, engine.reason)
  return listsFinding(tried, (await readEngineStatus(gateway)).policy)
}

/** Without it, reports lack what is stopped now. */
export async function checkJournal(gateway: Gateway): Promise<Finding> {
  const { engine } = gateway
  const tried = 'whether the engine writes its journal'
  if ('reason' in engine) return skipped('journal', tried, engine.reason)
  return journalFinding(tried, (await readEngineStatus(gateway)).journal)
}

/** Counts of decisions prove nothing: another proxy may use that engine. */
export async function checkDecisions(gateway: Gateway, { host, plain }: Probe): Promise<Finding> {
  const { name, engine } = gateway
  const tried = `the engine that refuses http://${host}.0/ through ${name}, compared with the one of --engine`
  if ('reason' in engine) return skipped('this-engine', tried, engine.reason)
  const notTried = userFault(gateway, plain)
  if (notTried !== undefined) return skipped('this-engine', tried, `not tried: ${notTried}`)
  const { instance, decisions } = await readEngineStatus(gateway)
  const refusing = plain instanceof Error ? undefined : plain.headers['x-engine-instance']
  if (refusing === instance) {
    return ok(
      'this-engine',
      tried,
      `${engine.url.origin} decides; ${counted(decisions.icap, 'decision')} for proxies since its start`,
    )
  }
  return failing(
    'this-engine',
    tried,
    refusing === undefined ? `${describe(plain)} of no engine` : `it is not ${engine.url.origin}`,
    'set PROXY_ICAP and ENGINE_INTERNAL_URL (or --engine) to the same engine; of several, the proxy uses one',
  )
}

/** With different secrets, no page of the portal opens. */
export async function checkSecret(gateway: Gateway): Promise<Finding> {
  const { engine, portalKeys } = gateway
  if ('reason' in engine) return skipped('secret', 'the key that the engine seals with', engine.reason)
  const tried = `the key that ${engine.url.origin} seals with, compared with those of the portal’s shared secret`
  const { kid } = await readEngineStatus(gateway)
  return secretFinding(tried, kid, portalKeys)
}

/** A stopped request has to end on the portal's page, which opens only with the shared secret. */
export async function checkStopped(gateway: Gateway, url: URL | undefined): Promise<Finding> {
  const { portal, roots, proxy, name } = gateway
  const asked = url ?? (await stoppedByDefault(gateway))
  const tried = `GET ${asked ?? 'a stopped URL'} through ${name}, and the page it leads to`
  if (asked === undefined) {
    return skipped('stops', tried, 'the policy allows by default; --stopped names a URL that a rule stops')
  }
  const response = await sendThrough(proxy, asked, roots)
  const { location } = response.headers
  if (response.status !== 302 || location === undefined || !location.startsWith(`${portal.origin}/`)) {
    return failing(
      'stops',
      tried,
      `${describe(response)}${location === undefined ? '' : ` to ${location}`} instead of a redirect to ${portal.origin}`,
      `"gatewayctl engine why ${asked.href}" shows what the engine decides; base_url in its policy must be the portal’s (PROXY_PORTAL)`,
    )
  }
  const page = await send({ url: new URL(location), roots })
  return verdictOn('stops', tried, pageFaults(page), {
    detail: `302 to a page of ${portal.origin}, which opens`,
    advice:
      'configure engine and portal with the same shared secret, and set their clocks by NTP; see gatewayctl portal doctor',
  })
}

function pageFaults({ status, headers }: Response): readonly string[] {
  if (headers['x-portal-version'] === undefined) return [`the page is ${status} from something that is not the portal`]
  return status === 200 ? [] : [`the portal rejects the page with ${status}`]
}

async function stoppedByDefault(gateway: Gateway): Promise<URL | undefined> {
  if ('reason' in gateway.engine) return undefined
  const { policy } = await readEngineStatus(gateway)
  return policy.default === 'block' ? new URL(`http://${newName()}/`) : undefined
}
