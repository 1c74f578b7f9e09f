// A directory that answers as Active Directory does, and worse. ldapts parses its requests; its responses are written here.
import { writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer } from 'node:tls'
import { BerReader, SearchRequest } from 'ldapts'
import { makeServed } from '../../support/certificates.ts'
import { listen } from '../../support/listen.ts'

export interface Search {
  readonly base: string
  readonly attributes: readonly string[]
}

/** The operations of responses to one search, or what ends the connection. */
export type Answer = (search: Search) => readonly Buffer[] | 'close'

const BIND = 0x60
const SEARCH = 0x63
const EXTENDED = 0x77

function ber(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([Buffer.from([tag, 0x84]), length, content])
}
const text = (value: string) => ber(0x04, Buffer.from(value))
const result = (tag: number, code: number) => ber(tag, ber(0x0a, Buffer.from([code])), text(''), text(''))
const message = (id: number, operation: Buffer) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(id)
  return ber(0x30, ber(0x02, bytes), operation)
}

export function entry(dn: string, attributes: Readonly<Record<string, readonly string[]>>): Buffer {
  const all = Object.entries(attributes).map(([name, values]) => ber(0x30, text(name), ber(0x31, ...values.map(text))))
  return ber(0x64, text(dn), ber(0x30, ...all))
}

/** The end of a search. */
export const done = (code = 0) => result(0x65, code)

/** Made once, because that takes a while. */
let served: ReturnType<typeof makeServed> | undefined

/** @param surplus sent right after the response to StartTLS, on a connection without TLS */
export async function startHostileDirectory(t: TestContext, answer: Answer, surplus?: Buffer) {
  served ??= makeServed('localhost')
  const { ca, leaf } = served
  const seen = { connections: 0, operations: [] as number[] }
  const serve = (socket: Socket) => {
    seen.connections++
    socket.setNoDelay()
    let received: Buffer = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      for (;;) {
        const reader = new BerReader(received)
        if (!reader.readSequence() || reader.remain < reader.length) return
        const end = reader.offset + reader.length
        const id = reader.readInt() ?? 0
        const operation = reader.readSequence() ?? 0
        seen.operations.push(operation)
        if (operation === BIND) socket.write(message(id, result(0x61, 0)))
        if (operation === EXTENDED)
          socket.write(Buffer.concat([message(id, result(0x78, 0)), surplus ?? Buffer.alloc(0)]))
        if (operation === SEARCH) {
          const search = new SearchRequest({ messageId: id, filter: undefined as never })
          search.parseMessage(reader)
          const responses = answer({ base: search.baseDN, attributes: search.attributes })
          if (responses === 'close') socket.destroy()
          else socket.write(Buffer.concat(responses.map((one) => message(id, one))))
        }
        received = received.subarray(end)
      }
    })
  }
  const isPlain = surplus !== undefined
  const server = isPlain ? createPlainServer(serve) : createServer({ cert: leaf.certificate, key: leaf.key }, serve)
  const port = await listen(t, server)
  return {
    seen,
    url: `ldap${isPlain ? '' : 's'}://localhost:${port}`,
    saveCa(path: string) {
      writeFileSync(path, ca.certificate)
      return path
    },
  }
}
