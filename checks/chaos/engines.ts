// Engines as processes over one state, each on its own port, that are killed and restarted; and what connectors and portals
// request of them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import { type EngineProcess, startEngineProcess } from '../../test/support/engine-process.ts'

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

/**
 * @param url of the state
 * @param rules TOML
 * @param folder for their files
 */
export async function startEngines(count: number, url: string, rules: string, folder: string): Promise<Engines> {
  const keyFile = join(folder, 'state.key')
  const start = async (index: number) => {
    const own = join(folder, `engine-${index}`)
    mkdirSync(own)
    const config = join(own, 'policy.toml')
    writeFileSync(config, `[state]\nurl = "${url}"\nkey_file = "${keyFile}"\n${rules}`, { mode: 0o600 })
    return await startEngineProcess(own, { config, secrets: folder })
  }
  // The first one makes the secrets and the state's key.
  const engines: EngineProcess[] = [await start(0)]
  while (engines.length < count) engines.push(await start(engines.length))
  const of = (engine: number) => engines[engine] as EngineProcess
  const lastLine = (engine: number) => JSON.stringify(of(engine).log().at(-1) ?? '')

  return {
    count,
    keyFile,
    async decide(engine, host, client) {
      const body = { url: `https://${host}/`, client }
      const response = await of(engine)
        .request('POST', '/api/decision', body)
        .catch(() => undefined)
      if (response?.status !== 200) return undefined
      const { verdict, redirect } = JSON.parse(response.body)
      return { verdict, query: redirect === undefined ? '' : new URL(redirect).search.slice(1) }
    },
    async acknowledge(engine, query, code) {
      const startedAt = performance.now()
      const headers = code === undefined ? {} : { [OVERRIDE_CODE_HEADER]: code }
      const response = await of(engine)
        .request('GET', `/api/captive/ack?${query}`, undefined, headers)
        .catch(() => undefined)
      const { attempts_remaining } = response?.status === 403 ? JSON.parse(response.body) : {}
      return {
        status: response?.status ?? 0,
        attemptsRemaining: attempts_remaining,
        milliseconds: performance.now() - startedAt,
      }
    },
    async killAndRestart(engine) {
      await of(engine).kill('SIGKILL')
      await of(engine).restart()
    },
    lastWords(engine) {
      const { exitCode, signalCode } = of(engine).process
      return exitCode === null && signalCode === null ? undefined : lastLine(engine)
    },
    async stop() {
      await Promise.all(engines.map((engine) => engine.stop()))
    },
  }
}
