// Between the proxy and the engine's ICAP service: knows the hosts of requests that the engine has allowed, where its log has none.
import { connect, createServer, type Socket } from 'node:net'
import type { Cleanup } from '../../test/support/cleanup.ts'
import { listen } from '../../test/support/listen.ts'

export interface IcapRelay {
  readonly port: number
  /** One for each text in an allowed request that the pattern matches, in lower case. */
  readonly allowed: ReadonlySet<string>
  /** The port of the engine. */
  target: number
}

/** @param pattern global, of hosts */
export async function startIcapRelay(t: Cleanup, pattern: RegExp): Promise<IcapRelay> {
  const allowed = new Set<string>()
  const server = createServer((socket) => relay(socket))
  const result = { port: await listen(t, server), allowed, target: 0 }

  /** Squid sends one request after the other. */
  function relay(socket: Socket): void {
    const engine = connect(result.target, '127.0.0.1')
    let request = ''
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1')
      engine.write(chunk)
    })
    engine.on('data', (chunk) => {
      if (/^ICAP\/1\.0 (?:204 |200 [\s\S]*\bEncapsulated: req-hdr=)/.test(chunk.toString('latin1'))) {
        for (const [host] of request.matchAll(pattern)) allowed.add(host.toLowerCase())
      }
      request = ''
      // Recorded before Squid knows.
      socket.write(chunk)
    })
    for (const [one, other] of [
      [socket, engine],
      [engine, socket],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  }
  return result
}
