// The reference engine as a process of its own, for programs that put portals under load: it issues verdicts, and its log
// is the record that nobody else writes.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface EngineProcess {
  readonly pid: number
  /** What a portal needs to work with it, as variables. */
  readonly portalVariables: Readonly<Record<string, string>>
  /** The query of a new verdict about this host (of the sample policy) for this client (an IP address). */
  issue(host: string, client: string): Promise<string>
  /** Stops it; its log, line by line. */
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
  const logFile = join(folder, 'engine.log')
  // Into a file: no line is lost, whatever happens to the reader.
  const log = openSync(logFile, 'a')
  const child = spawn(
    process.execPath,
    [
      ...['src/engine/main.ts', '--config', POLICY, '--listen', '127.0.0.1:0', '--publish', join(folder, 'published')],
      ...['--base-url', 'https://portal.example', '--secret-file', secretFile],
    ],
    { env: {}, stdio: ['ignore', log, 'inherit'] },
  )
  closeSync(log)
  process.on('exit', () => child.kill('SIGKILL'))

  let url: string | undefined
  for (const deadline = Date.now() + START_SECONDS * 1000; url === undefined; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`the engine ended with status ${child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`the engine did not listen within ${START_SECONDS} s`)
    url = /listening on (https:[^"]+)/.exec(readFileSync(logFile, 'utf8'))?.[1]
  }
  const caFile = join(folder, 'published', 'ca', 'ca.crt')
  const issuer = createIssuer(url, readFileSync(caFile))
  return {
    pid: child.pid as number,
    portalVariables: {
      ENGINE_INTERNAL_URL: url,
      ENGINE_CA_FILE: caFile,
      GATEWAY_CAPTIVE_SHARED_SECRET_FILE: secretFile,
    },
    issue: async (host, client) => (await issuer.issue(host, client)).search.slice(1),
    async stop() {
      issuer.close()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      const lines = readFileSync(logFile, 'utf8').split('\n')
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
    },
  }
}

/** Asks the engine at this address for verdicts, as a gateway does. */
export function createIssuer(url: string, ca: Buffer | string, apiToken?: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca })
  const decision = new URL('/api/decision', url)
  const headers = {
    'content-type': 'application/json',
    ...(apiToken !== undefined && { authorization: `Bearer ${apiToken}` }),
  }
  async function ask(body: string): Promise<URL> {
    const asking = request(decision, { agent, method: 'POST', headers })
    asking.end(body)
    const [response] = await once(asking, 'response')
    const { redirect } = JSON.parse(await text(response))
    return new URL(redirect)
  }
  return {
    /** The address that a client (an IP address) who asks for this host is sent to. */
    async issue(host: string, client: string): Promise<URL> {
      for (let tried = 1; ; tried++) {
        try {
          return await ask(JSON.stringify({ url: `http://${host}/`, client }))
        } catch (error) {
          // A kept connection that is closed in this moment; a verdict more does no harm.
          if (tried === 5) throw error
          await sleep(100 * tried)
        }
      }
    },
    close: () => agent.destroy(),
  }
}
