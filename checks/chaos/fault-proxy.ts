// A TCP proxy that injects network faults. A fault can be set at any time, and affects open connections too.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Fault =
  | { readonly kind: 'none' }
  /** Every chunk of a response is this many milliseconds late. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** One byte of a response in this many milliseconds. */
  | { readonly kind: 'drip'; readonly milliseconds: number }
  /** A connection is reset as soon as a request is sent on it. */
  | { readonly kind: 'reset' }
  /** The connection is half-closed before the response. */
  | { readonly kind: 'half-close' }
  /** Everything that is sent is accepted, and nothing ever comes back. */
  | { readonly kind: 'black hole' }
  /** One bit in every 40 bytes of a response is flipped. */
  | { readonly kind: 'corrupt' }

export interface FaultProxy {
  readonly port: number
  /** Connections that are open. */
  readonly open: number
  set(fault: Fault): void
  close(): Promise<void>
}

/** @param target on loopback */
export async function startFaultProxy(target: { readonly port: number }): Promise<FaultProxy> {
  let fault: Fault = { kind: 'none' }
  const pairs = new Set<readonly [client: Socket, upstream: Socket]>()

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true })
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const one of pair) one.destroy()
      })
    }
    client.on('data', (bytes) => {
      if (fault.kind === 'reset') client.resetAndDestroy()
      else if (fault.kind === 'half-close') client.end()
      if (fault.kind !== 'black hole') upstream.write(bytes)
    })
    client.on('end', () => upstream.end())
    let last: Promise<void> = Promise.resolve()
    upstream.on('data', (bytes: Buffer) => {
      last = last.then(() => forward(bytes, client))
    })
    upstream.on('end', () => {
      last = last.then(() => void (fault.kind !== 'black hole' && client.end()))
    })
  })

  async function forward(bytes: Buffer, client: Socket): Promise<void> {
    const { kind } = fault
    if (kind === 'black hole' || kind === 'half-close' || !client.writable) return
    if (kind === 'delay') await sleep(fault.milliseconds)
    if (kind === 'corrupt') for (let at = 7; at < bytes.length; at += 40) bytes[at] = (bytes[at] as number) ^ 4
    if (kind !== 'drip') return void client.write(bytes)
    for (const byte of bytes) {
      if (fault.kind === 'drip') await sleep(fault.milliseconds)
      if (!client.writable) return
      client.write(Buffer.of(byte))
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return pairs.size
    },
    set(next) {
      fault = next
      if (next.kind === 'reset') for (const [client] of pairs) client.resetAndDestroy()
    },
    async close() {
      server.close()
      for (const [client, upstream] of pairs) {
        client.destroy()
        upstream.destroy()
      }
      await once(server, 'close')
    },
  }
}
