// Checks that the engine is reachable, without a request: connects, with https also performs the verified handshake, and
// disconnects.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { EngineAddress } from './acknowledge.ts'
import { createEngineTrust } from './trust.ts'

/** Resolves with undefined when the engine is reachable, otherwise with the reason. Never rejects. */
export type ReachEngine = () => Promise<string | undefined>

const TIMEOUT_MILLISECONDS = 2_000

export function createReachEngine(engine: Pick<EngineAddress, 'url' | 'caFile' | 'publishedCa'>): ReachEngine {
  const { protocol, hostname, port } = engine.url
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol === 'http:') {
    const address = { host, port: Number(port || 80) }
    return () => reach(() => connect(address), 'connect')
  }
  const trust = createEngineTrust(engine)
  const address = { host, port: Number(port || 443), ...(isIP(host) === 0 && { servername: host }) }
  return () =>
    reach(
      // As for an acknowledgement: verified, even with NODE_TLS_REJECT_UNAUTHORIZED=0.
      () => connectTls({ ...address, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, secureContext: trust() }),
      'secureConnect',
    )
}

function reach(open: () => Socket, ready: 'connect' | 'secureConnect'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = open()
    const done = (fault?: string) => {
      clearTimeout(timeout)
      resolve(fault)
      socket.destroy()
    }
    const timeout = setTimeout(() => done('timed out'), TIMEOUT_MILLISECONDS)
    socket.on(ready, () => done())
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    socket.on('close', () => done('closed immediately'))
  })
}
