// The engine as a separate process, which can be killed and started again: it issues verdicts, and its log is an independent
// record.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILE_CACHE } from './compile-cache.ts'
import { until } from './until.ts'

export interface EngineSetup {
  /** The policy's file; the sample policy by default. */
  readonly config?: string
  /** The portal's address. */
  readonly baseUrl?: string
  /** For its secrets: engines of one gateway share them. By default the folder of its other files. */
  readonly secrets?: string
  /** Further options. */
  readonly options?: readonly string[]
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface EngineProcess {
  /** The running process, or the last one. */
  readonly process: ChildProcess
  readonly pid: number
  /** The control API's address. */
  readonly url: string
  /** NaN without `--icap`. */
  readonly icapPort: number
  /** The folder that it publishes to. */
  readonly published: string
  /** The environment variables for a portal that uses it. */
  readonly portalVariables: Readonly<Record<'ENGINE_INTERNAL_URL' | 'ENGINE_CA_FILE', string>> &
    Readonly<Record<'ENGINE_API_TOKEN_FILE' | 'GATEWAY_CAPTIVE_SHARED_SECRET_FILE', string>>
  /** A request of the control API with its token. */
  request(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<EngineResponse>
  /** @returns the query of a new verdict on this host (of the sample policy) for this client (an IP address) */
  issue(host: string, client: string): Promise<string>
  /** Its log so far, one object per line. */
  log(): readonly Record<string, unknown>[]
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it again on the same ports, after `kill`. */
  restart(): Promise<void>
  /** Stops it, if it runs. @returns its log */
  stop(): Promise<readonly Record<string, unknown>[]>
}

export interface EngineResponse {
  readonly status: number
  readonly body: string
}

const START_SECONDS = 30
/** Without a response. */
const PATIENCE_MS = 10_000
const POLICY = 'src/engine/sample-policy.toml'

/**
 * @param folder for its files
 * @throws {Error} when it does not start
 */
export async function startEngineProcess(folder: string, setup: EngineSetup = {}): Promise<EngineProcess> {
  const { config = POLICY, baseUrl = 'https://portal.example', secrets = folder, options = [], env: more } = setup
  const secretFile = ensureSecret(secrets, 'secret')
  const apiTokenFile = ensureSecret(secrets, 'engine-api-token')
  const published = join(folder, 'published')
  const caFile = join(published, 'ca', 'ca.crt')
  const logFile = join(folder, 'engine.log')
  const given = ['--secret-file', secretFile, '--api-token-file', apiTokenFile]
  // Earlier engines in this folder have written to it, too.
  const begin = existsSync(logFile) ? readFileSync(logFile).length : 0
  const written = () => readFileSync(logFile).subarray(begin).toString()
  const log = () =>
    written()
      .split('\n')
      // A frozen engine may be within its last line.
      .slice(0, -1)
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  let child: ChildProcess | undefined
  let [control, icap] = ['127.0.0.1:0', '127.0.0.1:0']
  process.on('exit', () => child?.kill('SIGKILL'))

  async function restart(): Promise<void> {
    // Into a file, so that no line is lost when this process stalls.
    const output = openSync(logFile, 'a')
    const from = written().length
    const hasIcap = options.includes('--icap-token-file')
    const addresses = ['--listen', control, '--publish', published, ...(hasIcap ? ['--icap', icap] : [])]
    const words = ['src/engine/main.ts', '--config', config, ...addresses, ...given, ...options]
    const env = { ...COMPILE_CACHE, GATEWAY_CAPTIVE_BASE_URL: baseUrl, ...more }
    const started = spawn(process.execPath, words, { env, stdio: ['ignore', output, 'inherit'] })
    child = started
    closeSync(output)
    await until(() => {
      const said = written().slice(from)
      if (started.exitCode !== null) throw new Error(`the engine ended with status ${started.exitCode}: ${said}`)
      control = /"listening on https:\/\/([^"]+)"/.exec(said)?.[1] ?? control
      icap = /"listening on icap:\/\/([^"]+)"/.exec(said)?.[1] ?? icap
      return (
        !control.endsWith(':0') && /"listening on https:/.test(said) && (!hasIcap || /"listening on icap:/.test(said))
      )
    }, START_SECONDS)
  }

  async function kill(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  await restart()
  const url = `https://${control}`
  const apiToken = readFileSync(apiTokenFile, 'utf8')
  const issuer = createIssuer(url, readFileSync(caFile), apiToken)
  const agent = new Agent({ keepAlive: true, maxSockets: 64, ca: readFileSync(caFile) })

  async function send(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const sent = request(new URL(path, url), {
      ...{ agent, method, timeout: PATIENCE_MS },
      headers: { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json', ...headers },
    })
    sent.on('timeout', () => sent.destroy(new Error('no response in time')))
    sent.end(body === undefined ? '' : JSON.stringify(body))
    const [response] = await once(sent, 'response')
    return { status: response.statusCode as number, body: await text(response) }
  }

  return {
    get process() {
      return child as ChildProcess
    },
    get pid() {
      return child?.pid as number
    },
    ...{ url, published, log, kill, restart },
    icapPort: icap.endsWith(':0') ? Number.NaN : Number(icap.split(':').at(-1)),
    portalVariables: {
      ENGINE_INTERNAL_URL: url,
      ENGINE_CA_FILE: caFile,
      ENGINE_API_TOKEN_FILE: apiTokenFile,
      GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
    },
    request: send,
    issue: async (host, client) => (await issuer.issue(host, client)).search.slice(1),
    async stop() {
      issuer.close()
      agent.destroy()
      await kill('SIGTERM')
      return log()
    },
  }
}

/** @returns the path of a file with a secret, which is made if it does not exist */
export function ensureSecret(folder: string, name: string): string {
  const path = join(folder, name)
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return path
}

/** Requests verdicts from the engine at this address, as a gateway does. */
export function createIssuer(url: string, ca: Buffer | string, apiToken: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca })
  const decision = new URL('/api/decision', url)
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${apiToken}`,
  }
  async function send(body: string): Promise<URL> {
    const asking = request(decision, { agent, method: 'POST', headers })
    asking.end(body)
    const [response] = await once(asking, 'response')
    const { redirect } = JSON.parse(await text(response))
    return new URL(redirect)
  }
  return {
    /** @returns the URL to which a client (an IP address) is redirected when it requests this host */
    async issue(host: string, client: string): Promise<URL> {
      for (let tried = 1; ; tried++) {
        try {
          return await send(JSON.stringify({ url: `http://${host}/`, client }))
        } catch (error) {
          // The kept-alive connection was just closed; one more verdict does no harm.
          if (tried === 5) throw error
          await sleep(100 * tried)
        }
      }
    },
    close: () => agent.destroy(),
  }
}
