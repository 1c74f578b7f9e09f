// The operations listener: /healthz, /readyz and /metrics, GET and HEAD only. Visitors must not reach it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'

export interface OpsServer {
  /** `http://127.0.0.1:9464`. */
  readonly address: string
  readonly port: number
  close(): Promise<void>
}

export interface OpsServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Never rejects. */
  readonly readiness: () => Promise<{ readonly ready: boolean }>
  /** Prometheus text. */
  readonly metrics: () => Promise<string>
  readonly metricsContentType: string
}

interface OpsResponse {
  readonly status: number
  readonly type: string
  readonly body: string
}

const MAXIMUM_CONNECTIONS = 32
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
}

/** Resolves when it listens. @throws the system's error, such as EADDRINUSE */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const { host, port, readiness, metrics, metricsContentType } = options
  const paths = new Map<string, () => Promise<OpsResponse>>([
    // A response proves that the process is alive.
    ['/healthz', async () => ({ status: 200, type: 'application/json', body: '{"status":"ok"}\n' })],
    [
      '/readyz',
      async () => {
        const report = await readiness()
        return { status: report.ready ? 200 : 503, type: 'application/json', body: `${JSON.stringify(report)}\n` }
      },
    ],
    ['/metrics', async () => ({ status: 200, type: metricsContentType, body: await metrics() })],
  ])
  const server = createServer(LIMITS, async (request, response) => {
    const { method = '', url = '' } = request
    // Without the query and the slash that some probes append.
    const respond = paths.get(url.replace(/\/?(?:\?.*)?$/, ''))
    if (hasBody(request)) return refuse(response, 400)
    if (respond === undefined) return refuse(response, 404)
    if (method !== 'GET' && method !== 'HEAD') return refuse(response.setHeader('allow', 'GET, HEAD'), 405)
    try {
      const { status, type, body } = await respond()
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...ALWAYS })
      response.end(body)
    } catch {
      refuse(response, 500)
    }
  })
  server.maxConnections = MAXIMUM_CONNECTIONS
  server.listen({ host, port })
  await once(server, 'listening')
  const { address, port: chosen } = server.address() as AddressInfo
  return {
    address: `http://${isIPv6(address) ? `[${address}]` : address}:${chosen}`,
    port: chosen,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** An empty response that closes the connection. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0, connection: 'close', ...ALWAYS }).end()
}
