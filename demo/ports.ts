// Ports on loopback: preferred ones if they are free, and whether something listens.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Listens on the first port that is free; 0 is any free one.
 * @returns the port
 */
export async function listen(server: Server, [port, ...others]: readonly number[]): Promise<number> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (others.length > 0) return await listen(server, others)
    throw error
  }
  return (server.address() as AddressInfo).port
}

/** A free port on loopback: the preferred one if possible. */
export async function freePort(preferred = 0): Promise<number> {
  const probe = createServer()
  const port = await listen(probe, preferred === 0 ? [0] : [preferred, 0])
  probe.close()
  return port
}

/** Resolves when the port accepts connections, or `isOver` returns true. */
export async function isListening(port: number, isOver: () => boolean): Promise<void> {
  for (let isOpen = false; !isOpen && !isOver(); await sleep(50)) {
    const socket = connect(port, '127.0.0.1')
    isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
  }
}
