// An engine in this process, on a free port behind TLS, with a clock that the test moves and a log that it reads.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { publishCertificates } from '../../src/engine/certificates/publish.ts'
import { createControlApi } from '../../src/engine/control-api/control-api.ts'
import { startControlServer } from '../../src/engine/control-api/server.ts'
import { type Capacity, createEngine } from '../../src/engine/engine.ts'
import { loadSettings, type Settings } from '../../src/engine/settings/settings.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { SECRET } from '../support/payloads.ts'

/** Unix seconds at which a test's clock starts. */
export const NOW = 1_800_000_000
export const BASE_URL = 'https://portal.example'
export const CLIENT = '198.51.100.7'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; `{}` when there is none. */
  readonly json: Readonly<Record<string, unknown>>
}

export interface RunningEngine {
  readonly port: number
  /** What it publishes. */
  readonly folder: string
  /** Moves the clock on. */
  pass(seconds: number): void
  logged(): Record<string, unknown>[]
  logText(): string
  sweep(): void
  /** A request with exactly these headers, over TLS verified with the published CA. */
  ask(method: string, target: string, headers?: OutgoingHttpHeaders, body?: string): Promise<Answered>
  decide(url: string, client?: string): Promise<Answered>
  /** The query of the redirect that this URL gets. */
  verdict(url: string, client?: string): Promise<string>
  acknowledge(query: string, code?: string, headers?: OutgoingHttpHeaders): Promise<Answered>
}

/** A policy for tests: these rules, and keys of the file's top level. */
export function policy(rules: string, topLevel = ''): string {
  return `
    ${topLevel}
    [captive_portal]
    secret = "${SECRET}"
    base_url = "${BASE_URL}"
    [certificates]
    folder = "unused"
    ${rules}`
}

export function configure(toml: string): Settings {
  const nothing = {
    listen: undefined,
    publish: undefined,
    baseUrl: undefined,
    hostnames: undefined,
    organisation: undefined,
    groupReadsKey: undefined,
    rotateCa: undefined,
  }
  const noFiles = { secretFile: undefined, apiTokenFile: undefined }
  return loadSettings({ config: 'policy.toml', ...nothing, ...noFiles }, () => Buffer.from(toml))
}

export async function startEngine(
  t: Cleanup,
  toml: string,
  options: { readonly capacity?: Partial<Capacity> } = {},
): Promise<RunningEngine> {
  const { policy, control } = configure(toml)
  let now = NOW * 1000
  let text = ''
  const engine = createEngine({ policy, clock: () => now, ...options })
  const folder = await mkdtemp(join(tmpdir(), 'engine-test-'))
  const server = await startControlServer({
    certificate: await publishCertificates({
      folder,
      organisation: 'Test',
      portalHost: 'portal.example',
      portalNames: ['localhost', '127.0.0.1'],
      controlNames: control.hostnames,
      clock: Date.now,
    }),
    host: '127.0.0.1',
    port: 0,
    listener: createControlApi({
      engine,
      apiToken: control.apiToken,
      log: pino(
        { base: null, timestamp: false },
        {
          write(line: string) {
            text += line
          },
        },
      ),
    }),
  })
  const agent = new Agent({ ca: await readFile(join(folder, 'ca', 'ca.crt')), keepAlive: true })
  const port = Number(new URL(server.address).port)
  t.after(async () => {
    agent.destroy()
    await server.stop()
    await rm(folder, { recursive: true })
  })

  const running: RunningEngine = {
    port,
    folder,
    pass(seconds) {
      now += seconds * 1000
    },
    logText: () => text,
    logged: () => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    sweep: engine.sweep,
    ask: (method, path, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, async (response) => {
          const chunks: Buffer[] = []
          for await (const chunk of response) chunks.push(chunk)
          const answer = Buffer.concat(chunks).toString()
          const json = answer === '' ? {} : JSON.parse(answer)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer, json })
        })
        sent.on('error', reject)
        sent.end(body)
      }),
    decide: (url, client = CLIENT) =>
      running.ask(
        'POST',
        '/api/decision',
        { 'content-type': 'application/json', ...authorization },
        JSON.stringify({ url, client }),
      ),
    async verdict(url, client) {
      const { json } = await running.decide(url, client)
      return new URL(String(json.redirect)).search.slice(1)
    },
    acknowledge: (query, code, headers = {}) =>
      running.ask('GET', `/api/captive/ack?${query}`, {
        ...authorization,
        ...(code !== undefined && { 'x-override-code': encodeURIComponent(code) }),
        ...headers,
      }),
  }
  const authorization = control.apiToken === undefined ? {} : { authorization: `Bearer ${control.apiToken}` }
  return running
}
