// Stands in for the TLS terminator where a test needs no nginx: two ports, one upstream, no path.
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, request } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { MadeCertificate } from './certificates.ts'

export interface SmallTerminator {
  readonly httpPort: number
  readonly httpsPort: number
  /** Whether the https port takes requests and never answers. */
  setSilent(silent: boolean): void
  close(): void
}

/** On loopback. @param leaf what it shows of itself */
export async function startSmallTerminator(portalPort: number, leaf: MadeCertificate): Promise<SmallTerminator> {
  let isSilent = false
  const passOn = (scheme: 'http' | 'https'): RequestListener => {
    return (incoming, outgoing) => {
      if (scheme === 'https' && isSilent) return
      const headers = { ...incoming.headers, 'x-forwarded-proto': scheme }
      const where = { host: '127.0.0.1', port: portalPort, path: incoming.url, method: incoming.method, headers }
      const onward = request(where, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(outgoing)
      })
      incoming.pipe(onward)
    }
  }
  const http = createHttpServer(passOn('http')).listen(0, '127.0.0.1')
  const https = createHttpsServer({ cert: leaf.certificate, key: leaf.key }, passOn('https')).listen(0, '127.0.0.1')
  await Promise.all([once(http, 'listening'), once(https, 'listening')])
  return {
    httpPort: (http.address() as AddressInfo).port,
    httpsPort: (https.address() as AddressInfo).port,
    setSilent(silent) {
      isSilent = silent
    },
    close() {
      for (const server of [http, https]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
