// Whether the engine can be reached, found out without a request: a connection, with https its handshake and
// verification, and the end of it. Nothing is asked, so nothing is minted.
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { EngineAddress } from './acknowledge.ts'
import { createEngineTrust } from './trust.ts'

/** Undefined when the engine is there, or what stands in the way. Never rejects. */
export type ReachEngine = () => Promise<string | undefined>

const PATIENCE_MILLISECONDS = 2_000

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
      // As for an acknowledgement: verified, whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      () => connectTls({ ...address, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true, secureContext: trust() }),
      'secureConnect',
    )
}

function reach(open: () => Socket, ready: 'connect' | 'secureConnect'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = open()
    const done = (fault?: string) => {
      clearTimeout(patience)
      resolve(fault)
      socket.destroy()
    }
    const patience = setTimeout(() => done('no answer in time'), PATIENCE_MILLISECONDS)
    socket.on(ready, () => done())
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    socket.on('close', () => done('closed at once'))
  })
}
