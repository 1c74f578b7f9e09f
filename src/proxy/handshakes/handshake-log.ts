// Receives Squid's lines about decrypted connections by UDP, so that Squid never waits, and keeps handshakes.json in PROXY_RUN
// up to date, for gatewayctl.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseHandshakeLine } from './handshake-line.ts'
import { type Clock, createHandshakes } from './handshakes.ts'

/** Where Squid sends its lines, and how each begins. */
export interface HandshakeTarget {
  /** On 127.0.0.1. */
  readonly port: number
  readonly token: string
}

export interface HandshakeLog {
  readonly target: HandshakeTarget
  stop(): Promise<void>
}

export interface HandshakeLogOptions {
  /** PROXY_RUN. */
  readonly folder: string
  readonly clock: Clock
  /** Writes a line to the log; for a file that cannot be written once, until it can. */
  readonly report: (line: string) => void
  /** How often the file is written, if a line has arrived. */
  readonly milliseconds?: number
}

/** It is written so often at least: an old one means that the proxy does not run. */
const REWRITTEN_MS = 60_000

/** Resolves when the file exists. @throws {Error} of Node if there is no port */
export async function startHandshakeLog(options: HandshakeLogOptions): Promise<HandshakeLog> {
  const { folder, clock, report, milliseconds = 5000 } = options
  const token = randomBytes(16).toString('hex')
  const handshakes = createHandshakes(clock)
  const path = join(folder, 'handshakes.json')
  let [hasChanged, complained, writtenAt] = [true, false, 0]
  const socket = createSocket('udp4')
  const begin = Buffer.from(`${token} `)
  socket.on('message', (line) => {
    if (line.length < begin.length || !timingSafeEqual(line.subarray(0, begin.length), begin)) return
    const handshake = parseHandshakeLine(line.toString('latin1', begin.length).trimEnd())
    if (handshake === undefined) return
    handshakes.record(handshake)
    hasChanged = true
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('error', (error) => report(`handshakes are not counted: ${error.message}`))

  async function write(): Promise<void> {
    if (!hasChanged && clock() < writtenAt + REWRITTEN_MS) return
    hasChanged = false
    try {
      const unfinished = `${path}.unfinished`
      await writeFile(unfinished, `${JSON.stringify(handshakes.report())}\n`, { mode: 0o600 })
      await rename(unfinished, path)
      complained = false
      writtenAt = clock()
    } catch (error) {
      hasChanged = true
      if (!complained) report(`${path} cannot be written: ${(error as Error).message}`)
      complained = true
    }
  }
  await write()
  let writing = Promise.resolve()
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, milliseconds)
  return {
    target: { port: socket.address().port, token },
    async stop() {
      clearInterval(timer)
      socket.close()
      await writing
    },
  }
}
