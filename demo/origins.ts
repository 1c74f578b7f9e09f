// The sample sites behind the proxy: https sites with made-up names and certificates of a CA that only the demo's Squid
// trusts. They are behind an upstream proxy on loopback, because Squid's rules forbid connections to this machine.
import type { KeyObject } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { generatePrivateKey, issueLeafCertificate, issueRootCertificate } from '../src/engine/certificates/issue.ts'
import { PAGE_HEADERS, reachedPage } from './pages.ts'
import { listen } from './ports.ts'
import { EXEMPT_SITE, PROXIED_SITES, proxiedHost } from './sites.ts'

export interface Origins {
  /** The upstream proxy, `HOST:PORT`. */
  readonly parent: string
  /** The CA's certificate, PEM. */
  readonly ca: string
  /** The sites' names. */
  readonly hosts: readonly string[]
  /** The certificate of the site that is not decrypted, PEM. */
  readonly exemptCertificate: string
  readonly close: () => void
}

/** @param list the address of the list of sites */
export async function startOrigins(list: string): Promise<Origins> {
  const now = Date.now()
  const caKey = generatePrivateKey()
  const ca = { key: caKey, certificate: await issueRootCertificate(caKey, [{ CN: ['CA of the sample sites'] }], now) }
  const issue = async (names: readonly string[]) => {
    const key = generatePrivateKey()
    return { key: pem(key), cert: await issueLeafCertificate(ca, key, names, now) }
  }
  const hosts = PROXIED_SITES.map(proxiedHost)
  const exemptHost = proxiedHost(EXEMPT_SITE)
  const exempt = await issue([exemptHost])

  const tunnelled = createHttpsServer(
    await issue(hosts.filter((host) => host !== exemptHost)),
    answer((host, target) => `https://${host}${target}`),
  )
  tunnelled.addContext(exemptHost, exempt)
  // A request to a proxy has the whole URL.
  const parent = createServer(answer((_, target) => target))
  const sockets = new Set<Socket>()
  parent.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  parent.on('connect', (request, socket: Socket, head: Buffer) => {
    if (!hosts.some((host) => request.url === `${host}:443`)) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.unshift(head)
    return tunnelled.emit('connection', socket)
  })
  const port = await listen(parent, [0])
  return {
    parent: `127.0.0.1:${port}`,
    ca: ca.certificate,
    hosts,
    exemptCertificate: exempt.cert,
    close() {
      parent.close()
      for (const socket of sockets) socket.destroy()
    },
  }

  function answer(urlOf: (host: string, target: string) => string): RequestListener {
    return (request, response) => {
      const url = urlOf(request.headers.host ?? '', request.url ?? '')
      const isSite = URL.canParse(url) && hosts.includes(new URL(url).hostname)
      if (!isSite) return response.writeHead(502).end()
      return response.writeHead(200, PAGE_HEADERS).end(reachedPage(url, list).toString())
    }
  }
}

function pem(key: KeyObject): string | Buffer {
  return key.export({ type: 'pkcs8', format: 'pem' })
}
