// An engine in this process, on a free port behind TLS, with a clock that the test moves and a log that it reads.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { publishCertificates } from '../../src/engine/certificates/publish.ts'
import { createControlApi } from '../../src/engine/control-api/control-api.ts'
import { startControlServer } from '../../src/engine/control-api/server.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { startIcapServer } from '../../src/engine/icap/server.ts'
import type { Journal } from '../../src/engine/journal/journal.ts'
import { openJournal } from '../../src/engine/journal/open-journal.ts'
import { createMonitoring } from '../../src/engine/monitoring/monitoring.ts'
import { createRuleHits } from '../../src/engine/monitoring/rule-hits.ts'
import { createStoppedRequests, type StoppedRequest } from '../../src/engine/monitoring/stopped-requests.ts'
import { createTally } from '../../src/engine/monitoring/tally.ts'
import type { Policy } from '../../src/engine/policy/policy.ts'
import {
  openPolicyStore,
  type PolicyStore,
  type PolicyStoreOptions,
} from '../../src/engine/policy/reload/policy-store.ts'
import { zoneClock } from '../../src/engine/policy/schedule/zone-clock.ts'
import { createRuledHosts } from '../../src/engine/proxy-settings/ruled-hosts.ts'
import { createNameUser } from '../../src/engine/request/reported-user.ts'
import type { CommandLine } from '../../src/engine/settings/command-line.ts'
import { readSettings, type Settings, type SettingsReading, settingsOf } from '../../src/engine/settings/settings.ts'
import { chooseStart, createLoad } from '../../src/engine/settings/start.ts'
import { ensureKeyFile } from '../../src/engine/state/key-file.ts'
import { openState, type StateOptions } from '../../src/engine/state/open-state.ts'
import type { EngineState } from '../../src/engine/state/state.ts'
import type { DatabaseLocation } from '../../src/settings/sections/database.ts'
import { type Cleanup, inReverse } from '../support/cleanup.ts'
import { SECRET } from '../support/payloads.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { tableOf } from './policy/entries-of.ts'
import { recordLog } from './recorded-log.ts'

/** Unix seconds at which a test's clock starts. */
export const NOW = 1_800_000_000
export const BASE_URL = 'https://portal.example'
export const CLIENT = '198.51.100.7'
export const API_TOKEN = 'token-for-the-tests-0123'
export const AUTHORIZED = { authorization: `Bearer ${API_TOKEN}` }

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; `{}` when there is none. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface RunningEngine {
  readonly port: number
  /** Of the ICAP listener; undefined where the policy has no [icap]. */
  readonly icapPort: number | undefined
  /** What it publishes. */
  readonly folder: string
  /** Moves the clock on. */
  pass(seconds: number): void
  logged(): Record<string, unknown>[]
  logText(): string
  readonly state: EngineState
  /** Undefined without the option. */
  readonly journal: Journal | undefined
  readonly policies: PolicyStore
  /** Replaces the policy's file, or another one, in the folder; it is not reloaded by this. */
  write(content: string, name?: string): Promise<void>
  /** An administration call, with the token that it requires. */
  administer(call: string, body: object): Promise<Answered>
  /** A request with exactly these headers, over TLS verified with the published CA. */
  ask(method: string, target: string, headers?: OutgoingHttpHeaders, body?: string): Promise<Answered>
  decide(url: string, client?: string, user?: string): Promise<Answered>
  /** The query of the redirect that this URL gets. */
  verdict(url: string, client?: string, user?: string): Promise<string>
  acknowledge(query: string, code?: string, headers?: OutgoingHttpHeaders): Promise<Answered>
}

/** A policy for tests: these rules, keys of the file's top level, and those of `[control]`. */
export function policy(rules: string, topLevel = '', control = `api_token = "${API_TOKEN}"`): string {
  return `
    ${topLevel}
    [captive_portal]
    secret = "${SECRET}"
    base_url = "${BASE_URL}"
    [control]
    ${control}
    [certificates]
    folder = "unused"
    ${rules}
`
}

/** The command line with nothing but the policy. */
export const NO_OPTIONS: CommandLine = {
  config: 'policy.toml',
  listen: undefined,
  publish: undefined,
  groupReadsKey: undefined,
  secretFile: undefined,
  apiTokenFile: undefined,
  adminTokenFile: undefined,
  icap: undefined,
  icapTls: undefined,
  icapTokenFile: undefined,
  ops: undefined,
  timezone: undefined,
  rotateCa: undefined,
  check: false,
  env: {},
}

interface Configured extends Settings {
  readonly policy: Policy
}

/** With empty lists. @throws {ConfigProblems} */
export function loadSettings(...reading: Parameters<typeof readSettings>): Configured {
  return withPolicy(readSettings(...reading), {})
}

/**
 * @param files further files, by name
 * @param names of the lists; others are empty
 * @throws {ConfigProblems}
 */
export function configure(
  toml: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  names: Readonly<Record<string, readonly string[]>> = {},
): Configured {
  return withPolicy(
    readSettings(NO_OPTIONS, (path) => Buffer.from(files[basename(path)] ?? toml)),
    names,
  )
}

function withPolicy(reading: SettingsReading, names: Readonly<Record<string, readonly string[]>>): Configured {
  const settings = settingsOf(reading)
  const lists = reading.lists.map((list) => ({
    ...list,
    table: tableOf(names[list.name] ?? []),
    digest: '',
    fileDigests: [],
  }))
  return { ...settings, policy: settings.buildPolicy(lists) }
}

/** What a store of this policy reads. */
export function policyOf(commandLine: CommandLine): Pick<PolicyStoreOptions, 'load' | 'start'> {
  const { chosen, ...start } = chooseStart(commandLine)
  const reading = chosen?.reading ?? start.inPlace
  return { load: createLoad(commandLine, reading.settings), start: { ...start, reading } }
}

const MEMORY: DatabaseLocation = { dialect: 'sqlite', path: ':memory:' }

export interface EngineOptions extends Pick<StateOptions, 'capacity'> {
  /** Further files next to the policy's, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** PROXY_AUTH_EXCEPT. */
  readonly authExcept?: string
  /** Of the state; in memory by default. */
  readonly location?: DatabaseLocation
  /** Where its journal is; by default it has none. Its settings are the policy's. */
  readonly journal?: DatabaseLocation
}

export async function startEngine(
  t: Cleanup,
  toml: string,
  { files = {}, authExcept, location = MEMORY, journal: journalLocation, ...options }: EngineOptions = {},
): Promise<RunningEngine> {
  let now = NOW * 1000
  const { log, lines } = recordLog()
  const cleanup = inReverse(t)
  const folder = temporaryFolder(cleanup)
  const clock = () => now
  const config = join(folder, 'policy.toml')
  const write = (content: string, name = 'policy.toml') => writeFile(join(folder, name), content)
  for (const [name, content] of Object.entries({ ...files, 'policy.toml': toml })) await write(content, name)
  const env = { PROXY_AUTH_EXCEPT: authExcept }
  const { control, icap, portal, presence, ...settings } = loadSettings({ ...NO_OPTIONS, config, env })
  const policies = await openPolicyStore({ ...policyOf({ ...NO_OPTIONS, config, env }), log, clock })
  const ruledHosts = createRuledHosts(policies, settings.audit)
  const stopped = createStoppedRequests()
  const keys = await ensureKeyFile(join(folder, 'state.key'))
  const state = await openState({ location, keys, clock, log, journal: settings.journal, ...options })
  const nameUser = createNameUser({ ...presence, presences: state, policies })
  const zone = zoneClock('Europe/Zurich') ?? assert.fail()
  const tally = createTally()
  const journal =
    journalLocation &&
    openJournal({
      ...{ location: journalLocation, settings: settings.journal, state, stateLocation: location },
      ...{ policies, tally, zone, clock, log },
    })
  const add = (one: StoppedRequest) => {
    const record = stopped.add(one)
    journal?.add(record)
  }
  const engine = createEngine({ portal, policies, state, keys, stopped: { add }, clock })
  const audit = { allowed: true, hosts: false }
  const monitoring = createMonitoring(tally, log, audit, createRuleHits(clock, zone))
  const { controlCertificate } = await publishCertificates({
    folder,
    organisation: 'Test',
    portalHost: 'portal.example',
    portalNames: ['localhost', '127.0.0.1'],
    controlNames: control.hostnames,
    clock: Date.now,
  })
  const server = await startControlServer({
    certificate: controlCertificate,
    host: '127.0.0.1',
    port: 0,
    listener: createControlApi({
      engine,
      portal,
      monitoring,
      audit,
      policies,
      ruledHosts,
      state,
      stopped,
      journal,
      databases: { state: location, journal: journalLocation ?? location },
      ...control,
      presenceToken: presence.token,
      authExcept: presence.authExcept,
      nameUser,
      clock,
      log,
    }),
  })
  const tls = icap?.tls === 'control' ? controlCertificate : icap?.tls
  const { instance } = monitoring
  const isRuled = monitoring.isRuledBy(ruledHosts)
  const icapServer =
    icap &&
    (await startIcapServer({
      ...icap,
      tls,
      decide: monitoring.decideAs('icap', engine),
      nameUser,
      isRuled,
      policies,
      instance,
      log,
    }))
  const agent = new Agent({ ca: await readFile(join(folder, 'ca', 'ca.crt')), keepAlive: true })
  const port = Number(new URL(server.address).port)
  cleanup.after(async () => {
    agent.destroy()
    await policies.close()
    await icapServer?.stop()
    await server.stop()
    await journal?.close()
    await state.close()
  })

  const running: RunningEngine = {
    port,
    icapPort: icapServer && Number(icapServer.address.split(':').at(-1)),
    folder,
    pass(seconds) {
      now += seconds * 1000
    },
    logText: () => JSON.stringify(lines),
    logged: () => [...lines],
    state,
    journal,
    policies,
    write,
    administer: (call, body) =>
      running.ask(
        'POST',
        `/api/admin/${call}`,
        { 'content-type': 'application/json', authorization: `Bearer ${control.adminToken ?? control.apiToken}` },
        JSON.stringify(body),
      ),
    ask: (method, path, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, async (response) => {
          const { statusCode: status = 0, headers } = response
          const answer = await text(response)
          resolve({ status, headers, text: answer, json: answer === '' ? {} : JSON.parse(answer) })
        })
        sent.on('error', reject)
        sent.end(body)
      }),
    decide: (url, client = CLIENT, user) =>
      running.ask(
        'POST',
        '/api/decision',
        { 'content-type': 'application/json', ...authorization },
        JSON.stringify({ url, client, user }),
      ),
    async verdict(url, client, user) {
      const { json } = await running.decide(url, client, user)
      return new URL(String(json.redirect)).search.slice(1)
    },
    acknowledge: (query, code, headers = {}) =>
      running.ask('GET', `/api/captive/ack?${query}`, {
        ...authorization,
        ...(code !== undefined && { 'x-override-code': encodeURIComponent(code) }),
        ...headers,
      }),
  }
  const authorization = { authorization: `Bearer ${control.apiToken}` }
  // What the start has logged is not a test's subject.
  lines.length = 0
  return running
}
