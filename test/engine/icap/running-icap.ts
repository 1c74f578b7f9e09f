// The listener alone, with an engine that stops casino.example.
import type { Logger } from 'pino'
import { type IcapServer, type IcapServerOptions, startIcapServer } from '../../../src/engine/icap/server.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { decide, isRuled } from './in-memory.ts'
import { TOKEN } from './messages.ts'

export interface RunningIcap extends IcapServer {
  readonly port: number
  readonly logged: Record<string, unknown>[]
}

export async function startIcap(t: Cleanup, options: Partial<IcapServerOptions> = {}): Promise<RunningIcap> {
  const logged: Record<string, unknown>[] = []
  const warn = (line: object, msg: string) => logged.push({ ...line, msg })
  const server = await startIcapServer({
    decide,
    isRuled,
    policies: { current: { revision: 'revision', affixes: [] } },
    token: TOKEN,
    instance: 'instance',
    nameUser: (request) => request,
    connect: 'decide',
    username: 'plain',
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    clients: undefined,
    log: { warn, error: warn } as unknown as Logger,
    ...options,
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= server.stop()
    return stopped
  }
  t.after(stop)
  return { ...server, stop, logged, port: Number(server.address.split(':').at(-1)) }
}
