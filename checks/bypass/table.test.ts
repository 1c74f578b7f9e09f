// Nobody gets around the gateway: no byte reaches a site without a decision in the engine's log. All attempts of attempts.ts, in
// every state of the engine, with both defaults of the policy, with and without authentication; and where Squid skips the engine
// for hosts that no rule names, in every state of the helper that asks about them. The exceptions, each of which has a line in
// squid.conf:
//
// - the portal, which is no site
// - Squid's own TLS handshake with the address of redirected https, without which it has no certificate to show: no byte of the
//   visitor's request is in it
// - Squid's own requests for the intermediate certificates that a site does not send (checks/gateway/upstream.test.ts)
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'
import { type Attempt, attempts, CONNECT_PORT, DOMAINS } from './attempts.ts'
import type { Go, Work } from './client.ts'
import { FAULTS, type Fault } from './faults.ts'
import { startIcapRelay } from './icap-relay.ts'
import { listenHere, type Origin, startOrigin } from './origin.ts'

const skip = skipWithoutGateway || skipUnless(hasCommand('nft'), 'needs nft: apt-get install nftables')
if (!skip) continueInNetworkNamespace(import.meta.filename)

// Where the sites are, only names lead to them.
const NETWORK = '198.18.0.0/15'
const allow = (addresses: string) => `
default = "allow"
[[rules]]
name = "gambling"
match = [".${DOMAINS.blocked}", "${addresses}"]
action = "block"
`
const BLOCK = `
default = "block"
[[rules]]
name = "open"
match = [".${DOMAINS.allowed}", ".${DOMAINS.exempt}"]
action = "allow"
`
/** An earlier rule would open the locked hosts; `EXEMPT_LOCKED` has them not decrypted. */
const LOCKED = `
default = "allow"
[[rules]]
name = "open"
match = [".example", "${NETWORK}"]
action = "allow"
[[rules]]
name = "gambling"
match = [".${DOMAINS.blocked}", "${NETWORK}"]
action = "block"
locked = true
`
const EXEMPT_LOCKED = `
[inspection]
exempt = [".${DOMAINS.blocked}"]
exempt_defaults = false
`
const EXEMPT = `
[inspection]
exempt = [".${DOMAINS.exempt}"]
exempt_defaults = false
`
/** @param file a list of URLs, none of which an attempt has */
const inUrls = (file: string) => `
default = "allow"
[[lists]]
name = "urls"
urls = ${JSON.stringify(file)}
[[rules]]
name = "gambling"
lists = ["urls"]
action = "block"
[[rules]]
name = "addresses"
match = ["${NETWORK}"]
action = "block"
`
/** Nothing is stopped while the switch is off. */
const EXAM = `${allow(NETWORK)}switch = "exam"\n`
/** An earlier rule opens everything to a group; a code, and another, open the blocked hosts. */
const CODED = `
default = "allow"
[groups]
teachers = { users = ["annabel", "anna@elsewhere.example"] }
[[rules]]
name = "teachers"
groups = ["teachers"]
action = "allow"
[[rules]]
name = "gambling"
match = [".${DOMAINS.blocked}", "${NETWORK}"]
action = "warn"
override = { type = "pin", code = "8036", codes = [{ code = "2749", expires = 2099-01-31 }], attempts = 3 }
`
/** With these, every host is ruled. */
const ALL_IN_LOG = `
[audit]
allowed = true
hosts = true
`
/** An earlier rule opens everything to a group, and a test of the policy says who is in it. */
const GROUPED = ({ group, list }: Updated) => `
default = "allow"
[groups]
teachers = { file = ${JSON.stringify(group)} }
[[lists]]
name = "casinos"
path = ${JSON.stringify(list)}
[[rules]]
name = "teachers"
groups = ["teachers"]
action = "allow"
[[rules]]
name = "casinos"
lists = ["casinos"]
action = "block"
[[rules]]
name = "gambling"
match = [".${DOMAINS.blocked}", "${NETWORK}"]
action = "block"
[[expect]]
url = "https://teachers.${DOMAINS.blocked}/"
user = "annabel"
verdict = "allow"
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
/** What the helper does. `exits`, in a loop, ends Squid. */
const HELPER_STATES = [
  ...FAULTS.filter((fault) => fault !== 'none' && fault !== 'exits'),
  'killed',
  'stopped',
  'exits',
] as const
/** What happens during the requests to what the engine stores. */
const STORAGE_STATES = ['at work, its journal locked', 'at work, a person being deleted'] as const
/** To files of the policy, during the requests. */
const UPDATING = 'at work, an update of groups that breaks a test'
/** By the visitor, during the requests. */
const GUESSING = 'at work, codes being guessed'
type State =
  | (typeof STATES)[number]
  | (typeof HELPER_STATES)[number]
  | (typeof STORAGE_STATES)[number]
  | typeof UPDATING
  | typeof GUESSING
/** Hosts of attempts, and addresses of sites. */
const HOST = new RegExp(
  `\\b[ab][a-z]\\d+\\.(?:${Object.values(DOMAINS).join('|').replaceAll('.', '\\.')})|\\b198\\.1[89]\\.\\d+\\.\\d+`,
  'gi',
)

/**
 * The short table has both defaults, both kinds of authentication and the first three states, but not each with each; with the
 * helper, its ordinary attempts; with locked hosts, those that are exempt.
 */
const isShort = process.env.BYPASS_TABLE === 'short'
/** Otherwise nothing, instead of a skipped test: `.ci/run` accepts none. */
const inWhole: (name: string, run: (t: TestContext) => Promise<void>) => void = isShort ? () => {} : test

describe('nothing passes undecided', { skip, timeout: 1_500_000, concurrency: 1 }, () => {
  for (const [name, policy] of Object.entries({ allow: allow(NETWORK), block: BLOCK })) {
    for (const hasUsers of [false, true]) {
      if (isShort && hasUsers !== (name === 'block')) continue
      test(`default = "${name}"${hasUsers ? ', with users' : ''}`, async (t) => {
        const scene = await startScene(t, policy + EXEMPT + ALL_IN_LOG, { hasUsers })
        const credentials = hasUsers ? `Proxy-Authorization: Basic ${btoa('anna:one')}\r\n` : ''
        // The password is required where none was sent.
        if (hasUsers) {
          await t.test('without a password', async () => {
            assert.deepEqual(await scene.perform(scene.attempts('', 9), 'at work'), [])
          })
        }
        const short: readonly State[] = hasUsers ? ['frozen'] : ['at work', 'dead']
        for (const [series, state] of (isShort ? short : STATES).entries()) {
          await t.test(`the engine ${state}`, () => expectDecisions(scene, scene.attempts(credentials, series), state))
        }
      })
    }
  }

  test('hosts that no rule names', async (t) => {
    const scene = await startScene(t, allow(NETWORK) + EXEMPT, { hasHelper: true })
    const states = isShort ? (['at work', 'BH'] as const) : [...STATES, 'back' as const, ...HELPER_STATES]
    for (const [series, state] of states.entries()) {
      const table = scene.attempts('', series).filter(({ isOrdinary }) => isOrdinary || !isShort)
      await t.test(isOfHelper(state) ? `the helper ${state}` : `the engine ${state}`, () =>
        expectDecisions(scene, table, state),
      )
    }
  })

  for (const [name, exempt] of Object.entries({ decrypted: EXEMPT, exempt: EXEMPT_LOCKED })) {
    if (isShort && exempt === EXEMPT) continue
    test(`locked hosts, ${name}, that an earlier rule and a permission would open`, async (t) => {
      const scene = await startScene(t, LOCKED + exempt, { hasHelper: true })
      await scene.administer('permissions/allow', { host: `.${DOMAINS.blocked}`, minutes: 60, by: 'the test' })
      for (const [series, state] of (['at work', 'with wrong names of the portal'] as const).entries()) {
        if (isShort && series > 0) continue
        const table = scene
          .attempts('', series)
          .filter(
            ({ name, isOrdinary }) => name.endsWith(' to blocked') || (isOrdinary && name.endsWith(' to allowed')),
          )
        assert.ok(table.length > 200, `${table.length} attempts`)
        await t.test(state, async () => {
          await expectDecisions(scene, table, state)
          const hosts = table.flatMap(({ hosts }) => hosts).filter((host) => host.endsWith(DOMAINS.blocked))
          assert.deepEqual(hosts.filter(scene.hasReceived), [])
        })
      }
    })
  }

  // No list of URLs has what the attempts ask for; which path it is, only the engine sees.
  inWhole('hosts that only a list of URLs names', async (t) => {
    const file = join(temporaryFolder(t), 'urls')
    writeFileSync(file, `${DOMAINS.blocked}/roulette\n`)
    const scene = await startScene(t, inUrls(file) + EXEMPT, { hasHelper: true })
    const table = scene
      .attempts('', 0)
      // They are allowed here, and the records have hosts in ASCII only.
      .filter(({ name }) => !/ in Unicode,.* to blocked$/.test(name))
    await expectDecisions(scene, table, 'at work')
    const hosts = table.flatMap(({ hosts }) => hosts).filter((host) => host.endsWith(DOMAINS.blocked))
    assert.deepEqual(hosts.filter(scene.isUnruled), [])
  })

  inWhole('devices that need no password', async (t) => {
    const scene = await startScene(t, BLOCK + EXEMPT + ALL_IN_LOG, { hasUsers: true, needsPassword: false })
    const table = scene.attempts('', 0)
    await expectDecisions(scene, table, 'at work')
  })

  // A row of the journal is queued in the decision, and a deletion has every engine read its memory again, switches included.
  inWhole('an exam, while the journal cannot be written and while the visitor is deleted', async (t) => {
    const scene = await startScene(t, EXAM + EXEMPT + ALL_IN_LOG, {})
    await scene.administer('switches/on', { switch: 'exam', everyone: true, minutes: 60, by: 'the test' })
    for (const [series, state] of STORAGE_STATES.entries()) {
      const table = scene.attempts('', series)
      await t.test(state, async () => {
        await expectDecisions(scene, table, state)
        const hosts = table.flatMap(({ hosts }) => hosts).filter((host) => host.endsWith(DOMAINS.blocked))
        assert.deepEqual(hosts.filter(scene.hasReceived), [])
      })
    }
  })

  inWhole('a user of no group, who guesses codes', async (t) => {
    const scene = await startScene(t, CODED + EXEMPT + ALL_IN_LOG, { hasUsers: true })
    const table = scene.attempts(`Proxy-Authorization: Basic ${btoa('anna:one')}\r\n`, 0)
    await expectDecisions(scene, table, GUESSING)
    const hosts = table.flatMap(({ hosts }) => hosts).filter((host) => host.endsWith(DOMAINS.blocked))
    assert.deepEqual(hosts.filter(scene.hasReceived), [])
  })

  // It stays out, and the rest of each reload comes into force.
  inWhole('a user whom an update of groups lets through, if it were not for a test of the policy', async (t) => {
    const folder = temporaryFolder(t)
    const updated: Updated = { group: join(folder, 'teachers.txt'), list: join(folder, 'casinos') }
    writeFileSync(updated.group, 'annabel\n')
    writeFileSync(updated.list, 'casino.example\n')
    const scene = await startScene(t, GROUPED(updated) + EXEMPT + ALL_IN_LOG, { hasUsers: true, updated })
    const table = scene.attempts(`Proxy-Authorization: Basic ${btoa('anna:one')}\r\n`, 0)
    await expectDecisions(scene, table, UPDATING)
    const hosts = table.flatMap(({ hosts }) => hosts).filter((host) => host.endsWith(DOMAINS.blocked))
    assert.deepEqual(hosts.filter(scene.hasReceived), [])
  })

  // Squid reads a wildcard in an exempt host's place as that host.
  test('a name with a wildcard in the handshake of redirected https', async (t) => {
    const exempt = `[inspection]\nexempt = ["app.${DOMAINS.blocked}"]\nexempt_defaults = false\n`
    const scene = await startScene(t, BLOCK + exempt, { hasHelper: true })
    const wildcard = `*.${DOMAINS.blocked}`
    assert.deepEqual(await scene.perform([handshakeWith(wildcard)], 'at work'), [])
  })

  // Without a network in the policy, the helper asks about addresses, too.
  test('an address that a rule names, however it is written', async (t) => {
    const scene = await startScene(t, (address) => allow(address) + EXEMPT, { hasHelper: true })
    const table = scene.attempts('', 0).filter(({ name }) => / address\b/.test(name))
    assert.ok(table.length > 50, `${table.length} attempts`)
    await expectDecisions(scene, table, 'at work')
  })

  inWhole('users whose program annotates their requests as the helper does', async (t) => {
    const scene = await startScene(t, allow(NETWORK) + EXEMPT, { hasUsers: true, hasHelper: true, note: 'ruled_=no' })
    const credentials = `Proxy-Authorization: Basic ${btoa('anna:one')}\r\n`
    await expectDecisions(scene, scene.attempts(credentials, 0), 'at work')
  })
})

/** Of redirected https: a tunnel, if Squid does not decrypt it. */
function handshakeWith(name: string): Attempt {
  return {
    ...{
      name: `the handshake with ${name}`,
      hosts: [name],
      isOrdinary: false,
      reaches: undefined,
      handshake: undefined,
    },
    steps: [
      { do: 'dial', to: 'site 443' },
      { do: 'wait' },
      { do: 'handshake', name },
      { do: 'write', text: `GET / HTTP/1.1\r\nHost: ${name}\r\n\r\n` },
      { do: 'read' },
    ],
  }
}

type Scene = Awaited<ReturnType<typeof startScene>>

async function expectDecisions(scene: Scene, table: readonly Attempt[], state: State): Promise<void> {
  const undecided = await scene.perform(table, state)
  // Without this, a gateway that opens nothing would pass.
  const missing = table.filter(({ reaches }) => reaches !== undefined && !scene.hasReceived(reaches))
  assert.deepEqual(undecided, [], 'bytes at a site without a decision')
  if (state.startsWith('at work')) assert.deepEqual(missing, [], 'allowed requests that did not reach their site')
}

function isOfHelper(state: State): state is (typeof HELPER_STATES)[number] {
  return (HELPER_STATES as readonly string[]).includes(state)
}

/** The files that `UPDATING` is about. */
interface Updated {
  readonly group: string
  readonly list: string
}

interface SceneOptions {
  readonly hasUsers?: boolean
  /** Whether the client has to be one of them; as a rule it has. */
  readonly needsPassword?: boolean
  readonly hasHelper?: boolean
  /** An annotation by the program that knows the users; by default it is Squid's own, which makes none. */
  readonly note?: string
  readonly updated?: Updated
}

async function startScene(t: TestContext, policy: string | ((address: string) => string), options: SceneOptions) {
  const { hasUsers = false, needsPassword = true, hasHelper = false, note, updated } = options
  const portal = await startSites(t, { names: [PORTAL_HOST], ipv6: true })
  const { namespace } = redirectDevices(t, portal)
  const folder = temporaryFolder(t)
  const helper = createFaultyHelper(folder)
  const relay = await startIcapRelay(t, HOST)
  const gateway = await startGateway(t, {
    sites: { names: Object.values(DOMAINS).map((domain) => `*.${domain}`), isSilent: true },
    policy,
    published: 'engine',
    portal: { http: 80, https: 443 },
    listen: INSIDE.machine[0],
    ...(hasHelper && { edit: helper.insert }),
    // So many questions at once that some are lost.
    directives: 'dns_retransmit_interval 1 second',
    settings: ({ icapPort }) => {
      relay.target = icapPort
      return {
        PROXY_ICAP: `icap://127.0.0.1:${relay.port}/reqmod`,
        ...TRANSPARENT_PORTS,
        PROXY_CLIENTS: '127.0.0.0/8 10.77.0.0/24',
        // All attempts have one address.
        PROXY_CLIENT_CONNECTIONS: '0',
        PROXY_CONNECT_PORTS: `${CONNECT_PORT}`,
        // Where they are not exempt, they are decrypted like any other.
        PROXY_OPAQUE_HOSTS: `.${DOMAINS.allowed} .${DOMAINS.blocked}`,
        ...(hasUsers && { PROXY_AUTH: writeUsers(folder, note) }),
        ...(!needsPassword && { PROXY_AUTH_EXCEPT: `${INSIDE.client[0]}/32` }),
      }
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
  const inLog = () => engine.log().flatMap(({ event, host }) => (event === 'request.allowed' ? [String(host)] : []))
  const allowed = () => (hasHelper ? [...helper.unruled(), ...relay.allowed] : inLog())

  /** @returns what has reached a site without a decision, with the names of the attempts */
  async function perform(table: readonly Attempt[], state: State): Promise<readonly string[]> {
    // Squid ends when its helper does so too often.
    if (gateway.start.exitCode !== null) await gateway.restart()
    for (const { handshake } of table) if (handshake !== undefined) handshakes.add(handshake)
    for (const host of table.flatMap(({ hosts }) => hosts)) {
      if (host !== PORTAL_HOST) sites.resolve(host, addressOf(host))
    }
    const client = fileURLToPath(new URL('client.ts', import.meta.url))
    const child = spawn('ip', ['netns', 'exec', namespace, process.execPath, client], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const messages: unknown[] = []
    child.on('message', (message) => messages.push(message))
    const ended = new Promise((resolve) => child.once('exit', resolve))
    let recover: () => Promise<void> = async () => {}
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
      if (isOfHelper(state)) helper.fail(state)
      if (state === 'at work, its journal locked') recover = await lockJournal(engine)
      if (state === 'at work, a person being deleted') recover = deleteVisitor(engine)
      if (state === UPDATING && updated !== undefined) recover = updateFiles(engine, updated)
      if (state === GUESSING) recover = guessCodes(engine)
      const isAtWork = state !== 'frozen' && state !== 'dead' && !isOfHelper(state)
      child.send({ stepMs: isAtWork ? 2_000 : 1_000, atOnce: !isAtWork } satisfies Go)
      await until(() => messages.includes('done'), 120)
      // What Squid still does.
      await sleep(500)
      await recover()
      const found = await findUndecided(() => new Set(allowed()), origin, handshakes)
      const nameOf = (line: string) => table.find(({ hosts }) => hosts.some((host) => line.includes(` ${host}`)))?.name
      return found.map((line) => `${line} (${nameOf(line)})`)
    } finally {
      child.kill('SIGKILL')
      await ended
      engine.process.kill('SIGCONT')
      helper.recover()
      // After a failure above.
      await recover().catch(() => {})
    }
  }

  return {
    perform,
    attempts: (credentials: string, series: number) =>
      attempts(credentials, 'abcdefghijklmnopqrstuvwxyz'.charAt(series), addressOf),
    administer: (name: string, body: object) => administer(engine, name, body),
    isUnruled: (host: string) => helper.unruled().includes(host),
    hasReceived: (host: string) =>
      origin.arrived.some(({ text, decrypted }) => `${text}${decrypted}`.includes(`Host: ${host}\r\n`)),
  }
}

async function administer(engine: Gateway['engine'], name: string, body: object) {
  const { status, body: text } = await engine.request('POST', `/api/admin/${name}`, body)
  assert.equal(status, 200, text)
  return JSON.parse(text)
}

/** Until the returned function is called; by then the engine must have failed to write. */
async function lockJournal(engine: Gateway['engine']): Promise<() => Promise<void>> {
  const database = new DatabaseSync(join(engine.published, 'engine/journal.db'), { timeout: 10_000 })
  database.exec('begin immediate')
  return async () => {
    try {
      await until(async () => !(await administer(engine, 'status', {})).journal.up, 20)
    } finally {
      database.close()
    }
  }
}

/** Each time with something to be deleted. */
function deleteVisitor(engine: Gateway['engine']): () => Promise<void> {
  const by = 'the test'
  const [client] = INSIDE.client
  return repeat(async () => {
    await administer(engine, 'permissions/allow', { host: `other.${DOMAINS.allowed}`, client, minutes: 60, by })
    const { deleted } = await administer(engine, 'privacy/delete', { client, by })
    assert.ok(deleted.permissions > 0)
  })
}

/** The visitor takes the place of a teacher, and each list is another one. */
function updateFiles(engine: Gateway['engine'], { group, list }: Updated): () => Promise<void> {
  let names = 1
  return repeat(async () => {
    replace(group, 'anna\n')
    replace(list, Array.from({ length: ++names }, (_, number) => `casino${number}.example\n`).join(''))
    // The engine may have noticed the list by itself: then only the groups are left, and nothing comes into force.
    const { problems, policy } = await administer(engine, 'reload', {})
    assert.equal(policy.lists[0].entries, names)
    assert.match(problems.join(), /groups stay as they were/)
  })
}

/** As a whole: half of one would be another policy. */
function replace(path: string, content: string): void {
  writeFileSync(`${path}.tmp`, content)
  renameSync(`${path}.tmp`, path)
}

/** More wrong codes at once than a lockout allows, then the right ones. */
function guessCodes(engine: Gateway['engine']): () => Promise<void> {
  const visitor = { url: `https://guessed.${DOMAINS.blocked}/`, client: INSIDE.client[0], user: 'anna' }
  const guess = async (code: string) => {
    const { verdict, redirect } = JSON.parse((await engine.request('POST', '/api/decision', visitor)).body)
    assert.equal(verdict, 'warn')
    const path = `/api/captive/ack${new URL(redirect).search}`
    return (await engine.request('GET', path, undefined, { 'x-override-code': code })).status
  }
  return repeat(async () => {
    const wrong = await Promise.all(Array.from({ length: 8 }, (_, number) => guess(`100${number}`)))
    const right = await Promise.all(['8036', '2749', '8036'].map(guess))
    assert.deepEqual(
      [...wrong, ...right].filter((status) => status === 302),
      [],
    )
  })
}

/** Again and again, until the returned function is called. */
function repeat(work: () => Promise<void>): () => Promise<void> {
  let isEnding = false
  let times = 0
  async function run(): Promise<void> {
    for (; !isEnding; times++) await work()
  }
  const running = run()
  running.catch(() => {})
  return async () => {
    isEnding = true
    await running
    assert.ok(times > 2, `${times} times`)
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

/** The helper between which and Squid another one fails. @param folder a new one for its files */
function createFaultyHelper(folder: string) {
  const program = `${process.execPath} ${fileURLToPath(new URL('faulty-helper.ts', import.meta.url))} ${folder}`
  const path = (name: string) => join(folder, name)
  const setFault = (fault: Fault) => writeFileSync(path('fault'), fault)
  const signal = (name: NodeJS.Signals) => {
    if (!existsSync(path('pids'))) return
    for (const pid of readFileSync(path('pids'), 'utf8').split(' ')) {
      try {
        process.kill(Number(pid), name)
      } catch {}
    }
  }
  setFault('none')
  writeFileSync(path('unruled'), '')
  // The proxy's user writes to it.
  chmodSync(folder, 0o777)
  chmodSync(path('unruled'), 0o666)
  return {
    insert: (shipped: string) => shipped.replace(/\$\{HOSTS_HELPER\}/, `${program} $&`),
    /** Hosts about which Squid has had the answer that no rule names them. */
    unruled: () => readFileSync(path('unruled'), 'utf8').split('\n'),
    fail(state: (typeof HELPER_STATES)[number]) {
      if (state === 'killed') signal('SIGKILL')
      else if (state === 'stopped') signal('SIGSTOP')
      else setFault(state)
    },
    recover() {
      setFault('none')
      signal('SIGCONT')
    },
  }
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
      const misdirected = [...hostsIn(decrypted).difference(hostsIn(text))].filter((host) => !isIPv4(host))
      const isAnonymous = (part: string) => part !== '' && hostsIn(part).size === 0
      if (undecided.length + misdirected.length === 0 && !isAnonymous(text) && !isAnonymous(decrypted)) return []
      const hosts = [
        ...undecided,
        ...misdirected.map((host) => `${host} at the site of ${[...hostsIn(text)].join(' ')}`),
      ]
      return [`${text.length} bytes on port ${port}: ${hosts.join(' ') || JSON.stringify(text.slice(0, 100))}`]
    })
  }
  // The log comes late.
  await until(() => find().length === 0, 2, 100).catch(() => {})
  return find()
}

/** @returns a file for PROXY_AUTH */
function writeUsers(folder: string, note: string | undefined): string {
  const [passwords, program] = [join(folder, 'passwords'), join(folder, 'users')]
  writeFileSync(passwords, `anna:${openssl(['passwd', '-apr1', 'one']).toString().trim()}\n`)
  writeFileSync(program, `while read -r line; do echo "OK ${note}"; done\n`)
  const lines = [
    `auth_param basic program ${note === undefined ? `/usr/lib/squid/basic_ncsa_auth ${passwords}` : `/bin/sh ${program}`}`,
    'auth_param basic realm Northwind',
    'auth_param basic children 2',
  ]
  writeFileSync(join(folder, 'auth.conf'), `${lines.join('\n')}\n`)
  return join(folder, 'auth.conf')
}
