// A DNS server with made-up names.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'
import type { Cleanup } from '../support/cleanup.ts'

export interface DnsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string
  /** Sets the answer: an IPv4 address, or NXDOMAIN. */
  answer(address: string | undefined): void
}

export interface NameserverPlan {
  readonly address: string
  /** 0 for a free one. */
  readonly port: number
  readonly ttlSeconds: number
  /** The addresses of a name in lower case; none: it does not exist. Called for A and AAAA queries alike. */
  readonly lookUp: (name: string) => readonly string[]
  /** What an address is called, by its name in `in-addr.arpa`. */
  readonly reverse?: Readonly<Record<string, string | undefined>>
}

const [TYPE_A, TYPE_PTR, TYPE_AAAA, NXDOMAIN] = [1, 12, 28, 3]

/** On loopback with one name, whose address has a TTL of an hour. */
export async function startDnsServer(t: Cleanup, name: string): Promise<DnsServer> {
  let current: string | undefined
  const lookUp = (asked: string) => (asked === name && current !== undefined ? [current] : [])
  const port = await startNameserver(t, { address: '127.0.0.1', port: 0, ttlSeconds: 3600, lookUp })
  return {
    address: `127.0.0.1:${port}`,
    answer(address) {
      current = address
    },
  }
}

/** @returns its port */
export async function startNameserver(t: Cleanup, plan: NameserverPlan): Promise<number> {
  const ttl = [24, 16, 8, 0].map((bits) => (plan.ttlSeconds >> bits) & 255)
  const socket = createSocket('udp4')
  socket.on('message', (query, client) => {
    const { name, type, end } = parseQuery(query)
    const addresses = plan.lookUp(name)
    const data: number[][] = []
    if (type === TYPE_A) data.push(...addresses.filter(isIPv4).map((one) => one.split('.').map(Number)))
    if (type === TYPE_AAAA) data.push(...addresses.filter(isIPv6).map(bytesOfIpv6))
    const pointer = plan.reverse?.[name]
    if (type === TYPE_PTR && pointer !== undefined) {
      data.push([...pointer.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]), 0])
    }
    const flags = [0x81, 0x80 | (addresses.length > 0 || data.length > 0 ? 0 : NXDOMAIN)]
    const records = data.flatMap((one) => [0xc0, 12, 0, type, 0, 1, ...ttl, 0, one.length, ...one])
    const head = Buffer.from([...query.subarray(0, 2), ...flags, 0, 1, 0, data.length, 0, 0, 0, 0])
    socket.send(Buffer.concat([head, query.subarray(12, end), Buffer.from(records)]), client.port, client.address)
  })
  socket.bind(plan.port, plan.address)
  await once(socket, 'listening')
  t.after(async () => socket.close())
  return socket.address().port
}

function parseQuery(query: Buffer) {
  const end = query.indexOf(0, 12) + 5
  const labels: string[] = []
  for (let at = 12; query[at] !== 0; at += (query[at] as number) + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] as number)))
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(end - 4), end }
}

function bytesOfIpv6(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255])
}
