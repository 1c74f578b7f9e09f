// The shipped gateway: an engine, and Squid as deploy/proxy configures it.
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get, request } from 'node:https'
import { basename, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { freePort } from '../../test/support/free-port.ts'
import { type Server, startServer } from '../../test/support/servers.ts'
import { type ListEngine, prepareEngine } from '../engine/server.ts'
import { bundle } from '../environment.ts'
import { SESSION_HOST } from './hosts.ts'
import { findProgram } from './programs.ts'
import { type Settings, START_SECONDS, type StartedProxy } from './proxy.ts'

const CLIENT = '127.0.0.1'
/** Lines of its squid.conf that ask the engine which hosts no rule names. */
const ASKS_HELPER =
  /^(external_acl_type|acl asked|acl unruled|deny_info \S+ asked|http_access deny !asked|adaptation_access \S+ deny unruled)\b/

/** A rule without a name: it never matches here, but the engine must decide about every host. */
export const RULE_FOR_EVERY_HOST = `
[[rules]]
name = "another-network"
clients = ["192.0.2.0/24"]
action = "block"
`

/** @param rules of its policy, in addition to those about names */
export async function startShipped(
  settings: Settings,
  folder: string,
  name: string,
  rules = '',
): Promise<Omit<StartedProxy, 'name'>> {
  const opsPort = await freePort()
  const prepared = await prepareEngine(settings, `${basename(folder)}-engine`, settings.names, { opsPort, rules })
  const { plan, icapPort, list, published, tokenFile } = prepared
  const engine = await startServer({ ...plan, startSeconds: START_SECONDS }, settings.cores)
  await acknowledge(prepared, engine)
  const run = join(folder, 'run')
  const environment = (port: number) => ({
    PROXY_LISTEN: `127.0.0.1:${port}`,
    PROXY_CLIENTS: '127.0.0.0/8',
    PROXY_PORTAL: 'https://portal.example',
    PROXY_ICAP: `icap://127.0.0.1:${icapPort}/reqmod`,
    PROXY_ICAP_TOKEN_FILE: tokenFile,
    PROXY_PUBLISHED: published,
    PROXY_RUN: run,
    PROXY_ORIGIN_CA: settings.caFile,
    PROXY_HOSTS: settings.hostsFile,
  })
  const program = bundle(folder, 'proxy')
  const squid = await startServer(
    { name, words: () => [program], environment, startSeconds: START_SECONDS },
    settings.cores,
  )
  return {
    servers: [squid, engine],
    ca: readFileSync(join(published, 'ca', 'ca.crt'), 'utf8'),
    list: { path: list, prefix: '', status: 302, reload() {} },
    configuration: join(run, 'squid.conf'),
    hostsAsked: () => hostsAsked(opsPort),
  }
}

/**
 * Squid with the configuration of a shipped proxy, but nothing asks the engine.
 * @param configuration the file that the shipped proxy has written
 */
export function startWithoutEngine(
  { cores }: Settings,
  folder: string,
  name: string,
  configuration: string,
): Promise<Server> {
  const squid = findProgram(/^squid$/) as string
  const words = (port: number) => {
    const path = join(folder, 'squid.conf')
    writeFileSync(path, withoutEngine(configuration, port, folder))
    return ['-N', '-n', `bench${port}`, '-f', path]
  }
  chmodSync(folder, 0o777)
  return startServer({ name, program: squid, words, isMute: true, startSeconds: START_SECONDS }, cores)
}

function withoutEngine(configuration: string, port: number, folder: string): string {
  const whole = readFileSync(configuration, 'utf8').replaceAll(/^include (\S*ports\.conf)$/gm, (_, path: string) =>
    readFileSync(path, 'utf8'),
  )
  const changed = whole
    .replaceAll(/^http_port \S+/gm, `http_port 127.0.0.1:${port}`)
    .replace(/^icap_enable on$/m, 'icap_enable off')
    .replace(/^pid_filename .*$/m, `pid_filename ${join(folder, 'squid.pid')}`)
  return changed
    .split('\n')
    .filter((line) => !ASKS_HELPER.test(line))
    .join('\n')
}

/** Clicks on the warning's button once: from then on, the client has a session. */
async function acknowledge({ token, ca }: ListEngine, { port }: Server): Promise<void> {
  const agent = new Agent({ ca })
  const common = { host: '127.0.0.1', port, agent }
  const authorization = `Bearer ${token}`
  const decide = request({
    ...common,
    path: '/api/decision',
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
  })
  decide.end(JSON.stringify({ url: `https://${SESSION_HOST}/`, client: CLIENT }))
  const [decided] = await once(decide, 'response')
  const { redirect } = (await json(decided)) as { readonly redirect: string }
  const path = `/api/captive/ack${new URL(redirect).search}`
  const [acknowledged] = await once(get({ ...common, path, headers: { authorization } }), 'response')
  agent.destroy()
  if (acknowledged.statusCode !== 302) throw new Error(`the engine acknowledged with ${acknowledged.statusCode}`)
}

/** @returns how many hosts the proxy has asked about so far; 0 from an engine that does not count them */
async function hostsAsked(opsPort: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()
  return metrics.matchAll(/^engine_hosts_total(?:\{.*\})? (\S+)$/gm).reduce((sum, [, value]) => sum + Number(value), 0)
}
