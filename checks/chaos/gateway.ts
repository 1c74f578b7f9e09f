// The system under test: the engine and a portal as processes, with verdicts issued in advance.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EngineProcess, startEngineProcess } from '../../test/support/engine-process.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { Scarcity } from './portals.ts'
import { startPortals } from './portals.ts'
import type { ScenarioOptions } from './scenario.ts'

export interface Gateway {
  readonly engine: EngineProcess
  /** The proxy between portal and engine. */
  readonly engineProxy: FaultProxy
  readonly pid: number
  readonly port: number
  /** Targets of pages that have a `block` verdict. */
  readonly pages: readonly string[]
  /** Targets of new acknowledgements. */
  acknowledgements(kind: 'warn' | 'aup', count: number): Promise<string[]>
  /** The portal's log so far, parsed. */
  logged(): Record<string, unknown>[]
  /** @returns the portal's last log line; undefined while it runs */
  lastLogLine(): string | undefined
  /** Stops the portal. */
  stop(): Promise<void>
}

const HOSTS = { block: 'casino.localhost', warn: 'news.localhost', aup: 'social.localhost' }
const PAGES = 50

export async function startGateway(
  { folder, after }: ScenarioOptions,
  environment: Readonly<Record<string, string>> = {},
  scarcity?: Scarcity,
): Promise<Gateway> {
  const engine = await startEngineProcess(folder)
  after(() => engine.stop())
  const address = new URL(engine.portalVariables.ENGINE_INTERNAL_URL as string)
  const engineProxy = await startFaultProxy({ port: Number(address.port) })
  after(() => engineProxy.close())
  address.port = String(engineProxy.port)
  const portals = await startPortals(
    1,
    {
      ...engine.portalVariables,
      ENGINE_INTERNAL_URL: address.origin,
      GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, 'portal.db')}`,
      GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
      ...environment,
    },
    folder,
    scarcity,
  )
  after(() => portals.stop())
  let clients = 0
  const issue = async (kind: keyof typeof HOSTS) => {
    const client = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients++ & 255}`
    // The engine may just have closed a kept-alive connection.
    return await engine.issue(HOSTS[kind], client).catch(() => engine.issue(HOSTS[kind], client))
  }
  const pages: string[] = []
  while (pages.length < PAGES) pages.push(`/blocked?${await issue('block')}`)
  const child = portals.process(0)
  return {
    engine,
    engineProxy,
    pid: child.pid as number,
    port: portals.ports[0] as number,
    pages,
    async acknowledgements(kind, count) {
      const targets: string[] = []
      while (targets.length < count) {
        const some = Array.from({ length: Math.min(16, count - targets.length) }, () => issue(kind))
        targets.push(...(await Promise.all(some)).map((query) => `/api/captive/ack?${query}`))
      }
      return targets
    },
    stop: () => portals.stop(),
    logged: () => readLog(portals.logs[0] as string),
    lastLogLine() {
      if (child.exitCode === null && child.signalCode === null) return undefined
      return readFileSync(portals.logs[0] as string, 'utf8')
        .trimEnd()
        .split('\n')
        .at(-1)
    },
  }
}

function readLog(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
}
