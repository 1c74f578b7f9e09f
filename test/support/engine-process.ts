// The engine as a separate process, for programs that put portals under load: it issues verdicts, and its log
// is an independent record.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILE_CACHE } from './compile-cache.ts'
import { until } from './until.ts'

export interface EngineProcess {
  readonly pid: number
  /** The environment variables for a portal that uses it. */
  readonly portalVariables: Readonly<Record<string, string>>
  /** @returns the query of a new verdict on this host (of the sample policy) for this client (an IP address) */
  issue(host: string, client: string): Promise<string>
  /** Stops it, if it runs. @returns its log, one object per line */
  stop(): Promise<readonly Record<string, unknown>[]>
}

const START_SECONDS = 20
const POLICY = 'src/engine/sample-policy.toml'

/**
 * @param folder for its files
 * @throws {Error} when it does not start
 */
export async function startEngineProcess(folder: string): Promise<EngineProcess> {
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, randomBytes(32).toString('base64url'), { mode: 0o600 })
  const apiToken = randomBytes(32).toString('base64url')
  const apiTokenFile = join(folder, 'engine-api-token')
  writeFileSync(apiTokenFile, apiToken, { mode: 0o600 })
  const logFile = join(folder, 'engine.log')
  // Into a file, so that no line is lost when this process stalls.
  const log = openSync(logFile, 'a')
  const child = spawn(
    process.execPath,
    [
      ...['src/engine/main.ts', '--config', POLICY, '--listen', '127.0.0.1:0', '--publish', join(folder, 'published')],
      ...['--base-url', 'https://portal.example', '--secret-file', secretFile, '--api-token-file', apiTokenFile],
    ],
    { env: COMPILE_CACHE, stdio: ['ignore', log, 'inherit'] },
  )
  closeSync(log)
  process.on('exit', () => child.kill('SIGKILL'))

  const url = await until(() => {
    if (child.exitCode !== null) throw new Error(`the engine ended with status ${child.exitCode}`)
    return /listening on (https:[^"]+)/.exec(readFileSync(logFile, 'utf8'))?.[1]
  }, START_SECONDS)
  const caFile = join(folder, 'published', 'ca', 'ca.crt')
  const issuer = createIssuer(url, readFileSync(caFile), apiToken)
  const ended = once(child, 'exit')
  return {
    pid: child.pid as number,
    portalVariables: {
      ENGINE_INTERNAL_URL: url,
      ENGINE_CA_FILE: caFile,
      ENGINE_API_TOKEN_FILE: apiTokenFile,
      GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
    },
    issue: async (host, client) => (await issuer.issue(host, client)).search.slice(1),
    async stop() {
      issuer.close()
      child.kill('SIGTERM')
      await ended
      const lines = readFileSync(logFile, 'utf8').split('\n')
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    },
  }
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
