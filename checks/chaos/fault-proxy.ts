// A TCP proxy that does to connections what networks do. A fault can be set at any time, and changes open connections too.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Fault =
  | { readonly kind: 'none' }
  /** Every piece of an answer comes that many milliseconds late. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** One byte of an answer in that many milliseconds. */
  | { readonly kind: 'drip'; readonly milliseconds: number }
  /** A connection is reset as soon as something is asked on it. */
  | { readonly kind: 'reset' }
  /** The end of the answer comes before the answer. */
  | { readonly kind: 'half-close' }
  /** Whatever is sent is taken, and nothing ever comes back. */
  | { readonly kind: 'black hole' }
  /** One bit in every 40 bytes of an answer is another. */
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
  const pairs = new Set<readonly [asking: Socket, answering: Socket]>()

  const server = createServer({ allowHalfOpen: true }, (asking) => {
    const answering = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true })
    const pair = [asking, answering] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const one of pair) one.destroy()
      })
    }
    asking.on('data', (bytes) => {
      if (fault.kind === 'reset') asking.resetAndDestroy()
      else if (fault.kind === 'half-close') asking.end()
      if (fault.kind !== 'black hole') answering.write(bytes)
    })
    asking.on('end', () => answering.end())
    let last: Promise<void> = Promise.resolve()
    answering.on('data', (bytes: Buffer) => {
      last = last.then(() => passOn(bytes, asking))
    })
    answering.on('end', () => {
      last = last.then(() => void (fault.kind !== 'black hole' && asking.end()))
    })
  })

  async function passOn(bytes: Buffer, asking: Socket): Promise<void> {
    const { kind } = fault
    if (kind === 'black hole' || kind === 'half-close' || !asking.writable) return
    if (kind === 'delay') await sleep(fault.milliseconds)
    if (kind === 'corrupt') for (let at = 7; at < bytes.length; at += 40) bytes[at] = (bytes[at] as number) ^ 4
    if (kind !== 'drip') return void asking.write(bytes)
    for (const byte of bytes) {
      if (fault.kind === 'drip') await sleep(fault.milliseconds)
      if (!asking.writable) return
      asking.write(Buffer.of(byte))
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
      if (next.kind === 'reset') for (const [asking] of pairs) asking.resetAndDestroy()
    },
    async close() {
      server.close()
      for (const [asking, answering] of pairs) {
        asking.destroy()
        answering.destroy()
      }
      await once(server, 'close')
    },
  }
}
