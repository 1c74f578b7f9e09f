// A connection to a directory, over TLS only, that is signed in and never opened again: ldapts would reconnect without TLS and
// account, and read what an attacker, or the directory for anybody, says.
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { Client } from 'ldapts'
import { escaped } from '../../settings/shown.ts'
import type { DirectorySettings, Server } from './settings.ts'

const CONNECT_MS = 10_000
const OPERATION_MS = 30_000
/** By LDAP's result code (RFC 4511, section 4.1.9). */
const RESULTS = new Map<unknown, string>([
  [10, 'the directory refers to another server'],
  [32, 'the directory has no entry of this name: check the base'],
  [49, 'the account or its password is wrong'],
  [50, 'the account may not read this'],
])

/**
 * Tries the servers in turn.
 * @throws {Error} with a reason for each of them
 */
export async function openDirectory(settings: DirectorySettings): Promise<Client> {
  const faults: string[] = []
  for (const server of settings.servers) {
    const client = clientOf(server, settings.ca)
    try {
      await client.start()
      await client.ldap.bind(settings.account, settings.password)
      return client.ldap
    } catch (error) {
      await client.ldap.unbind().catch(() => {})
      faults.push(`${server.host}:${server.port}: ${faultOf(error)}`)
    }
  }
  throw new Error(faults.join('; '))
}

function clientOf({ host, port, usesStartTls }: Server, ca: string | undefined) {
  const tls: ConnectionOptions = {
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
  }
  const limits = { timeout: OPERATION_MS, connectTimeout: CONNECT_MS }
  let isOpened = false
  function once<T extends Socket>(open: () => T): T {
    if (isOpened) throw new Error('the connection was lost')
    isOpened = true
    return open()
  }
  if (!usesStartTls) {
    const createSecureConnection = () => once(() => connectTls({ ...tls, port }))
    // Its port and host are those of `tls`.
    const url = 'ldaps://directory'
    const ldap = new Client({ url, ...limits, createSecureConnection: createSecureConnection as typeof connectTls })
    return { ldap, start: async () => {} }
  }
  const plain: Buffer[] = []
  const createConnection = () =>
    once(() => connectTcp({ host, port }).on('data', (bytes: Buffer) => void plain.push(bytes)))
  const ldap = new Client({
    url: 'ldap://directory',
    ...limits,
    createConnection: createConnection as typeof connectTcp,
    createSecureConnection: ((options: ConnectionOptions) => {
      // What came after the response to StartTLS was not encrypted, and would be read as if it were.
      if (!isOneMessage(Buffer.concat(plain))) throw new Error('the server sent more before TLS than its response')
      return connectTls(options)
    }) as typeof connectTls,
  })
  return { ldap, start: () => ldap.startTLS(tls) }
}

/** Whether these bytes are one message in BER, whole. */
export function isOneMessage(bytes: Buffer): boolean {
  const [tag, length = 0] = bytes
  const count = length < 0x80 ? 0 : length & 0x7f
  if (tag !== 0x30 || count > 4 || bytes.length < 2 + count) return false
  return bytes.length === 2 + count + (count === 0 ? length : bytes.readUIntBE(2, count))
}

/** One line. */
export function faultOf(error: unknown): string {
  if (error instanceof AggregateError) return faultOf(error.errors.at(-1))
  const { message, code: status } = error as { message: string; code?: unknown }
  const name = typeof status === 'string' && !message.includes(status) ? ` (${status})` : ''
  return RESULTS.get(status) ?? `${escaped(message.replace(/\s+/g, ' ')).slice(0, 300)}${name}`
}
