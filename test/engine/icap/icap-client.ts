// An ICAP client on a socket.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type IcapResponse, responsesOf } from './in-memory.ts'
import { reqmod } from './messages.ts'

/** Sends a message on a connection of its own, closes its side, and reads all responses. */
export async function ask(port: number, message: string): Promise<IcapResponse[]> {
  return responsesOf(await talk(connect(port, '127.0.0.1'), message))
}

export async function talk(socket: Socket, message: string): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.end(message, 'latin1')
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

/** What a request for this URL gets: `allowed`, or the status and location of the HTTP response. */
export async function outcome(port: number, message: Parameters<typeof reqmod>[0]): Promise<string> {
  const [response] = await ask(port, reqmod({ ...message, fields: ['Allow: 204', ...(message?.fields ?? [])] }))
  if (response?.status === 204) return 'allowed'
  if (response?.status !== 200) return `ICAP ${response?.status}`
  const [, status] = /^HTTP\/1\.1 ([0-9]{3}) /.exec(response.http) ?? []
  return `${status}`
}
