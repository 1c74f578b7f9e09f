// A TLS connection to a host through a proxy.
import { once } from 'node:events'
import { connect } from 'node:net'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'

const PATIENCE_MILLISECONDS = 10_000

/**
 * @param host whose port 443 is the end of the tunnel
 * @throws {Error} when the proxy refuses it, or the TLS handshake fails
 */
export async function openTunnel(
  proxy: { readonly host: string; readonly port: number },
  host: string,
  tls: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({ ...proxy, noDelay: true })
  try {
    socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`)
    let head = ''
    while (!head.includes('\r\n\r\n')) {
      const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) })) as [Buffer]
      head += bytes.toString('latin1')
    }
    if (!/^HTTP\/1\.[01] 200/.test(head)) throw new Error(`CONNECT to ${host} got ${head.split('\r\n')[0]}`)
    const secured = connectTls({ ...tls, socket, servername: host })
    await once(secured, 'secureConnect')
    return secured
  } catch (error) {
    socket.destroy()
    throw error
  }
}
