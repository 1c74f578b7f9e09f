// Whether the engine's ICAP service responds, before Squid depends on it: Squid refuses everything for 30 seconds after its
// own request for the service's options has failed.
import { once } from 'node:events'
import { spelled } from '../published/domains.ts'
import type { IcapService } from '../settings/sections/proxy-shapes.ts'
import { connectIcap } from './icap-connection.ts'

const TIMEOUT_MILLISECONDS = 3_000
/** More than the first line of any response needs. */
const MAXIMUM_CHARACTERS = 1_000

/**
 * Whether the service responds to OPTIONS with 200 within three seconds.
 * @param authorities the CAs, PEM, one of which must have issued the certificate of an `icaps://` service
 */
export async function hasOptions(service: IcapService, authorities: string): Promise<boolean> {
  const { url, host, isTls } = service
  // Without a CA, Node would trust its own.
  if (isTls && authorities === '') return false
  const socket = connectIcap(service, authorities)
  // Also after the response.
  socket.on('error', () => {})
  const timeout = setTimeout(() => socket.destroy(new Error('timeout')), TIMEOUT_MILLISECONDS)
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect')
    socket.write(`OPTIONS ${url} ICAP/1.0\r\nHost: ${spelled(host)}\r\n\r\n`)
    let head = ''
    for await (const chunk of socket.setEncoding('latin1')) {
      head += chunk
      if (head.includes('\n') || head.length > MAXIMUM_CHARACTERS) break
    }
    return /^ICAP\/1\.0 200\b/.test(head)
  } catch {
    return false
  } finally {
    clearTimeout(timeout)
    socket.destroy()
  }
}
