// A DNS server on loopback with one name, whose address has a TTL of an hour.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Cleanup } from '../support/cleanup.ts'

export interface DnsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string
  /** Sets the answer: an IPv4 address, or NXDOMAIN. */
  answer(address: string | undefined): void
}

const TYPE_A = 1
const NXDOMAIN = 3
const HOUR = [0, 0, 0x0e, 0x10]

export async function startDnsServer(t: Cleanup, name: string): Promise<DnsServer> {
  let current: string | undefined
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const isKnown = decodeName(query.subarray(12)) === name && current !== undefined
    const hasAnswer = isKnown && query.readUInt16BE(end - 4) === TYPE_A
    const flags = [0x81, 0x80 | (isKnown ? 0 : NXDOMAIN)]
    const counts = [0, 1, 0, hasAnswer ? 1 : 0, 0, 0, 0, 0]
    const record = [0xc0, 12, 0, TYPE_A, 0, 1, ...HOUR, 0, 4, ...(current ?? '').split('.').map(Number)]
    const head = Buffer.from([...query.subarray(0, 2), ...flags, ...counts])
    socket.send(Buffer.concat([head, query.subarray(12, end), Buffer.from(hasAnswer ? record : [])]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(async () => socket.close())
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answer(address) {
      current = address
    },
  }
}

function decodeName(question: Buffer): string {
  const labels: string[] = []
  for (let at = 0; question[at] !== 0; at += (question[at] as number) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] as number)))
  }
  return labels.join('.')
}
