// Nobody gets around the gateway: no byte reaches a site without a decision in the engine's log. All attempts of attempts.ts, in
// every state of the engine, with both defaults of the policy, with and without authentication. The exceptions, each of which has
// a line in squid.conf:
//
// - the portal, which is no site
// - Squid's own TLS handshake with the address of redirected https, without which it has no certificate to show: no byte of the
//   visitor's request is in it
// - Squid's own requests for the intermediate certificates that a site does not send (checks/gateway/upstream.test.ts)
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Gateway, PORTAL_HOST, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { INSIDE, redirectDevices, TRANSPARENT_PORTS } from '../../test/proxy/redirection.ts'
import { startSites } from '../../test/proxy/sites.ts'
import { openssl } from '../../test/support/certificates.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { accepts } from '../../test/support/servers.ts'
import { until } from '../../test/support/until.ts'
import { type Attempt, attempts, CONNECT_PORT, DOMAINS } from './attempts.ts'
import type { Go, Work } from './client.ts'
import { listenHere, type Origin, startOrigin } from './origin.ts'

const skip = skipWithoutGateway || skipUnless(hasCommand('nft'), 'needs nft: apt-get install nftables')
if (!skip) continueInNetworkNamespace(import.meta.filename)

const POLICIES = {
  allow: `default = "allow"\n[[rules]]\nname = "gambling"\nmatch = [".${DOMAINS.blocked}"]\naction = "block"\n`,
  block: `default = "block"\n[[rules]]\nname = "open"\nmatch = [".${DOMAINS.allowed}", ".${DOMAINS.exempt}"]\naction = "allow"\n`,
}
const FURTHER = `
[inspection]
exempt = [".${DOMAINS.exempt}"]
exempt_defaults = false

[audit]
allowed = true
hosts = true
`
/**
 * What happens between the beginning of the connections and the requests. `back`: until then, the engine was dead. `with wrong
 * names of the portal`: before, its published file has been given the blocked hosts.
 */
const STATES = [
  'at work',
  'frozen',
  'dead',
  'back',
  'at work, Squid reconfigured',
  'with wrong names of the portal',
] as const
type State = (typeof STATES)[number]
const HOST = new RegExp(`\\b[ab][a-z]\\d+\\.(?:${Object.values(DOMAINS).join('|').replaceAll('.', '\\.')})`, 'gi')

/** Half of the table has both defaults and both kinds of authentication, but not each with each, and the first three states. */
const isHalf = process.env.BYPASS_TABLE === 'half'

describe('nothing passes undecided', { skip, timeout: 600_000, concurrency: 1 }, () => {
  for (const [name, policy] of Object.entries(POLICIES)) {
    for (const hasUsers of [false, true]) {
      if (isHalf && hasUsers !== (name === 'block')) continue
      test(`default = "${name}"${hasUsers ? ', with users' : ''}`, async (t) => {
        const scene = await startScene(t, policy + FURTHER, hasUsers)
        const credentials = hasUsers ? `Proxy-Authorization: Basic ${btoa('anna:one')}\r\n` : ''
        // The password is required where none was sent.
        if (hasUsers) {
          await t.test('without a password', async () => {
            assert.deepEqual(await scene.perform(scene.attempts('', 9), 'at work'), [])
          })
        }
        for (const [series, state] of (isHalf ? STATES.slice(0, 3) : STATES).entries()) {
          await t.test(`the engine ${state}`, async () => {
            const table = scene.attempts(credentials, series)
            const undecided = await scene.perform(table, state)
            // Without this, a gateway that opens nothing would pass.
            const missing = table.filter(({ reaches }) => reaches !== undefined && !scene.hasReceived(reaches))
            assert.deepEqual(undecided, [], 'bytes at a site without a decision')
            if (state.startsWith('at work')) {
              assert.deepEqual(missing, [], 'allowed requests that did not reach their site')
            }
          })
        }
      })
    }
  }
})

async function startScene(t: TestContext, policy: string, hasUsers: boolean) {
  const portal = await startSites(t, { names: [PORTAL_HOST], ipv6: true })
  const { namespace } = redirectDevices(t, portal)
  const folder = mkdtempSync(join(tmpdir(), 'bypass-'))
  chmodSync(folder, 0o755)
  t.after(() => rmSync(folder, { recursive: true }))
  const gateway = await startGateway(t, {
    sites: { names: Object.values(DOMAINS).map((domain) => `*.${domain}`), isSilent: true },
    policy,
    published: 'engine',
    portal: { http: 80, https: 443 },
    listen: INSIDE.machine[0],
    // So many questions at once that some are lost.
    directives: 'dns_retransmit_interval 1 second',
    settings: {
      ...TRANSPARENT_PORTS,
      PROXY_CLIENTS: '127.0.0.0/8 10.77.0.0/24',
      // All attempts have one address.
      PROXY_CLIENT_CONNECTIONS: '0',
      PROXY_CONNECT_PORTS: `${CONNECT_PORT}`,
      ...(hasUsers && { PROXY_AUTH: writeUsers(folder) }),
    },
  })
  const { sites, engine } = gateway
  sites.resolve(PORTAL_HOST, portal.address)
  const origin = await startOrigin(t, sites.leaf)
  for (const port of [80, 443, CONNECT_PORT]) {
    origin.serve(await sites.listen(port), port)
    origin.serve(await listenHere(t, sites.machineAddress, port), port)
  }

  const addressOf = (host: string) => {
    if (host === PORTAL_HOST) return portal.address
    return host.endsWith(DOMAINS.inside) ? sites.machineAddress : sites.address
  }
  const handshakes = new Set<string>()
  const allowed = () => engine.log().flatMap(({ event, host }) => (event === 'request.allowed' ? [String(host)] : []))

  /** @returns what has reached a site without a decision, with the names of the attempts */
  async function perform(table: readonly Attempt[], state: State): Promise<readonly string[]> {
    for (const { handshake } of table) if (handshake !== undefined) handshakes.add(handshake)
    for (const host of table.flatMap(({ hosts }) => hosts)) {
      if (host !== PORTAL_HOST) sites.resolve(host, addressOf(host))
    }
    const child = spawn(
      'ip',
      ['netns', 'exec', namespace, process.execPath, fileURLToPath(new URL('client.ts', import.meta.url))],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    )
    const messages: unknown[] = []
    child.on('message', (message) => messages.push(message))
    const ended = new Promise((resolve) => child.once('exit', resolve))
    try {
      if (state === 'back') await engine.kill('SIGKILL')
      if (state === 'with wrong names of the portal') await addPortalNames(gateway, table)
      child.send({
        proxy: { host: INSIDE.machine[0], port: gateway.port },
        site: sites.address,
        attempts: table.map(({ steps }) => steps),
      } satisfies Work)
      await until(() => messages.includes('prepared'), 120)
      // The engine's log comes late, and not at all from one that is frozen or dead; Squid may still be asking it.
      for (let lines = -1; lines !== engine.log().length; await sleep(500)) lines = engine.log().length
      if (state === 'frozen') engine.process.kill('SIGSTOP')
      if (state === 'dead') await engine.kill('SIGKILL')
      if (state === 'back') await engine.restart()
      if (state === 'at work, Squid reconfigured') await reconfigure(gateway)
      const isAtWork = state !== 'frozen' && state !== 'dead'
      child.send({ stepMs: isAtWork ? 2_000 : 1_000, atOnce: !isAtWork } satisfies Go)
      await until(() => messages.includes('done'), 120)
      // What Squid still does.
      await sleep(500)
      const found = await findUndecided(() => new Set(allowed()), origin, handshakes)
      const nameOf = (line: string) => table.find(({ hosts }) => hosts.some((host) => line.includes(` ${host}`)))?.name
      return found.map((line) => `${line} (${nameOf(line)})`)
    } finally {
      child.kill('SIGKILL')
      await ended
      engine.process.kill('SIGCONT')
    }
  }

  return {
    perform,
    attempts: (credentials: string, series: number) => attempts(credentials, 'abcdefghij'.charAt(series), addressOf),
    hasReceived: (host: string) =>
      origin.arrived.some(({ text, decrypted }) => `${text}${decrypted}`.includes(`Host: ${host}\r\n`)),
  }
}

/** As a policy that is no longer in force, or somebody who writes to the shared folder, could leave them. */
async function addPortalNames({ engine, run, port }: Gateway, table: readonly Attempt[]): Promise<void> {
  const names = table.flatMap(({ hosts }) => hosts).filter((host) => host.endsWith(DOMAINS.blocked))
  appendFileSync(join(engine.published, 'proxy/portal-names'), names.map((name) => `${name}\n`).join(''))
  const last = names.at(-1) as string
  const copies = () => globSync(join(run, 'configuration.*/all-portal-names'))
  await until(() => copies().some((path) => readFileSync(path, 'utf8').includes(last)), 20)
  await sleep(1_000)
  await until(() => accepts(port))
}

/** As the proxy does after a change of what the engine publishes. */
async function reconfigure({ squidPid, port }: Gateway): Promise<void> {
  process.kill(squidPid(), 'SIGHUP')
  await sleep(1_000)
  await until(() => accepts(port))
}

/** Connections that have received bytes, and name a host that the engine has not allowed, or none. */
async function findUndecided(
  allowed: () => ReadonlySet<string>,
  { arrived }: Origin,
  handshakes: ReadonlySet<string>,
): Promise<readonly string[]> {
  const find = () => {
    const decided = allowed()
    const hostsIn = (text: string) => new Set(text.match(HOST)?.map((host) => host.toLowerCase()))
    const undecidedIn = (text: string) => [...hostsIn(text).difference(decided)]
    return arrived.flatMap(({ port, text, decrypted }) => {
      const isHandshake = (host: string) => text.startsWith('\x16') && handshakes.has(host)
      const undecided = [...undecidedIn(decrypted), ...undecidedIn(text).filter((host) => !isHandshake(host))]
      const isAnonymous = (part: string) => part !== '' && hostsIn(part).size === 0
      if (undecided.length === 0 && !isAnonymous(text) && !isAnonymous(decrypted)) return []
      return [`${text.length} bytes on port ${port}: ${undecided.join(' ') || JSON.stringify(text.slice(0, 100))}`]
    })
  }
  // The log comes late.
  await until(() => find().length === 0, 2, 100).catch(() => {})
  return find()
}

/** @returns a file for PROXY_AUTH */
function writeUsers(folder: string): string {
  writeFileSync(join(folder, 'passwords'), `anna:${openssl(['passwd', '-apr1', 'one']).toString().trim()}\n`)
  const lines = [
    `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${join(folder, 'passwords')}`,
    'auth_param basic realm Northwind',
    'auth_param basic children 2',
  ]
  writeFileSync(join(folder, 'auth.conf'), `${lines.join('\n')}\n`)
  return join(folder, 'auth.conf')
}
