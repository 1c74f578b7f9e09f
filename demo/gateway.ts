// A small gateway for the demo: requests a verdict from the engine for every request, as a connector does, and serves the
// sites.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { indexPage, PAGE_HEADERS, proxiedIndexPage, reachedPage } from './pages.ts'

export interface GatewayOptions {
  /** The engine's control API. */
  readonly engineUrl: URL
  /** PEM of the CA that signed the engine's certificate. */
  readonly engineCa: Buffer
  /** The API token for the engine's control API. */
  readonly apiToken: string
  /** The address of the certificate page, if there is one. */
  readonly certificatePage: string | undefined
  /** The text of the PAC file if the proxy runs; the list then has the sites behind the proxy. */
  readonly pac: string | undefined
}

export const PAC_PATH = '/proxy.pac'

interface Decision {
  readonly verdict: string
  readonly redirect?: string
}

/** Serves `http://localhost:PORT/` (the list) and `http://NAME.localhost:PORT/` (the sites behind the gateway). */
export function createGateway(options: GatewayOptions): Server {
  return createServer((request, response) => {
    handle(request, response, options).catch((error: Error) => {
      response
        .writeHead(502, { 'content-type': 'text/plain; charset=utf-8' })
        .end(`The engine failed: ${error.message}\n`)
    })
  })
}

async function handle(request: IncomingMessage, response: ServerResponse, options: GatewayOptions): Promise<void> {
  const { certificatePage, pac } = options
  const host = request.headers.host ?? ''
  const name = host.replace(/:\d+$/, '')
  if (!name.endsWith('.localhost')) {
    if (pac !== undefined && request.url === PAC_PATH) {
      response.writeHead(200, { 'content-type': 'application/x-ns-proxy-autoconfig' }).end(pac)
      return
    }
    const port = host.slice(name.length + 1)
    const list = pac === undefined ? indexPage(port, certificatePage) : proxiedIndexPage(certificatePage)
    return sendPage(response, request.url === '/' ? 200 : 404, list.toString())
  }
  const url = `http://${host}${request.url}`
  const { verdict, redirect } = await decide({ url, client: request.socket.remoteAddress ?? '' }, options)
  const list = new URL('/', url.replace(name, 'localhost')).href
  if (verdict === 'allow') return sendPage(response, 200, reachedPage(url, list).toString())
  response.writeHead(302, { location: redirect, 'cache-control': 'no-store' }).end()
}

function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, PAGE_HEADERS).end(page)
}

/** The engine's decision call: sends URL and client, returns `allow` or a prebuilt redirect. */
function decide(
  decision: { url: string; client: string },
  { engineUrl, engineCa, apiToken }: GatewayOptions,
): Promise<Decision> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiToken}` }
    const options = { method: 'POST', ca: engineCa, headers }
    const request = httpsRequest(new URL('/api/decision', engineUrl), options, async (response) => {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        if (response.statusCode !== 200) throw new Error(`the decision call returned ${response.statusCode}`)
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      } catch (error) {
        reject(error)
      }
    })
    request.on('error', reject)
    request.end(JSON.stringify(decision))
  })
}
