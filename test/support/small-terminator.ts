// Replaces the TLS terminator in tests that need no nginx: two ports, one upstream, no path.
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, request } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { MadeCertificate } from './certificates.ts'

export interface SmallTerminator {
  readonly httpPort: number
  readonly httpsPort: number
  /** Whether the https port accepts requests and never responds. */
  setSilent(silent: boolean): void
  close(): void
}

/** On loopback. @param leaf its certificate @param ports free ones by default */
export async function startSmallTerminator(
  portalPort: number,
  leaf: MadeCertificate,
  ports: { readonly http: number; readonly https: number } = { http: 0, https: 0 },
): Promise<SmallTerminator> {
  let isSilent = false
  const passOn = (scheme: 'http' | 'https'): RequestListener => {
    return (incoming, outgoing) => {
      if (scheme === 'https' && isSilent) return
      const headers = { ...incoming.headers, 'x-forwarded-proto': scheme }
      const where = { host: '127.0.0.1', port: portalPort, path: incoming.url, method: incoming.method, headers }
      const onward = request(where, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
        response.pipe(outgoing)
      })
      incoming.pipe(onward)
    }
  }
  const { certificate: cert, key } = leaf
  const http = createHttpServer(passOn('http')).listen(ports.http, '127.0.0.1')
  const https = createHttpsServer({ cert, key }, passOn('https')).listen(ports.https, '127.0.0.1')
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
