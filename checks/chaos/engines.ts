// Engines as processes over one state, each on its own port, that are killed and restarted; and what connectors and portals
// request of them.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import { freePort } from '../../test/support/free-port.ts'
import { accepts } from '../../test/support/servers.ts'

export interface Engines {
  readonly count: number
  /** Of the file that all of them seal with. */
  readonly keyFile: string
  /** The verdict, and the query of its page; undefined without a response. */
  decide(engine: number, host: string, client: string): Promise<{ verdict: string; query: string } | undefined>
  acknowledge(engine: number, query: string, code?: string): Promise<Acknowledged>
  /** Kills it with SIGKILL and restarts it; resolves when it listens. */
  killAndRestart(engine: number): Promise<void>
  /** Its last log line if it has ended by itself. */
  lastWords(engine: number): string | undefined
  stop(): Promise<void>
}

interface Acknowledged {
  /** 0 without a response. */
  readonly status: number
  readonly attemptsRemaining: number | undefined
  readonly milliseconds: number
}

const START_SECONDS = 30
const PATIENCE_MS = 10_000

/**
 * @param url of the state
 * @param rules TOML
 * @param folder for their files
 */
export async function startEngines(count: number, url: string, rules: string, folder: string): Promise<Engines> {
  const token = randomBytes(32).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  const keyFile = join(folder, 'state.key')
  const ports: number[] = []
  for (let engine = 0; engine < count; engine++) ports.push(await freePort())
  const children: ChildProcess[] = []
  const agents: Agent[] = []
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL')
  })
  const logOf = (engine: number) => join(folder, `engine-${engine}.log`)

  async function start(engine: number): Promise<void> {
    const published = join(folder, `published-${engine}`)
    const config = join(folder, `engine-${engine}.toml`)
    writeFileSync(
      config,
      `[captive_portal]\nsecret = "${secret}"\nbase_url = "https://portal.example"\n[control]\napi_token = "${token}"\n` +
        `listen = "127.0.0.1:${ports[engine]}"\n[certificates]\nfolder = "${published}"\n` +
        `[state]\nurl = "${url}"\nkey_file = "${keyFile}"\n${rules}`,
      { mode: 0o600 },
    )
    const log = openSync(logOf(engine), 'a')
    const child = spawn(process.execPath, ['src/engine/main.ts', '--config', config], {
      env: {},
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    children[engine] = child
    for (
      const deadline = Date.now() + START_SECONDS * 1000;
      !(await accepts(ports[engine] as number));
      await sleep(20)
    ) {
      if (child.exitCode !== null) throw new Error(`an engine ended: ${lastLine(engine)}`)
      if (Date.now() > deadline) throw new Error(`an engine did not listen within ${START_SECONDS} s`)
    }
    agents[engine] ??= new Agent({ ca: readFileSync(join(published, 'ca', 'ca.crt')), keepAlive: true, maxSockets: 64 })
  }

  function lastLine(engine: number): string {
    return existsSync(logOf(engine)) ? (readFileSync(logOf(engine), 'utf8').trimEnd().split('\n').at(-1) ?? '') : ''
  }

  async function ask(engine: number, method: string, path: string, headers: Record<string, string>, body?: string) {
    const asking = request({
      ...{ host: '127.0.0.1', port: ports[engine], agent: agents[engine], method, path, timeout: PATIENCE_MS },
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    asking.on('timeout', () => asking.destroy(new Error('no response in time')))
    asking.end(body)
    const [response] = await once(asking, 'response')
    return { status: response.statusCode as number, body: await text(response) }
  }

  await Promise.all(ports.keys().map(start))
  return {
    count,
    keyFile,
    async decide(engine, host, client) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ url: `https://${host}/`, client })
      const response = await ask(engine, 'POST', '/api/decision', headers, body).catch(() => undefined)
      if (response?.status !== 200) return undefined
      const { verdict, redirect } = JSON.parse(response.body)
      return { verdict, query: redirect === undefined ? '' : new URL(redirect).search.slice(1) }
    },
    async acknowledge(engine, query, code) {
      const startedAt = performance.now()
      const headers = code === undefined ? {} : { [OVERRIDE_CODE_HEADER]: code }
      const response = await ask(engine, 'GET', `/api/captive/ack?${query}`, headers).catch(() => undefined)
      const { attempts_remaining } = response?.status === 403 ? JSON.parse(response.body) : {}
      return {
        status: response?.status ?? 0,
        attemptsRemaining: attempts_remaining,
        milliseconds: performance.now() - startedAt,
      }
    },
    async killAndRestart(engine) {
      const child = children[engine] as ChildProcess
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await start(engine)
    },
    lastWords(engine) {
      const child = children[engine] as ChildProcess
      return child.exitCode === null && child.signalCode === null ? undefined : lastLine(engine)
    },
    async stop() {
      for (const agent of agents) agent.destroy()
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      await Promise.all(
        running.map(async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGTERM')
          await ended
        }),
      )
    },
  }
}
