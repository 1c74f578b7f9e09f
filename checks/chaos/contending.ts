// Acknowledgements of many visitors next to two clients that take all they can get: one repeats a single acknowledgement
// on HTTP/2 connections without a pause, the other acknowledges hundreds of verdicts from one address. Everything goes
// through the terminator as it is shipped, over TLS.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { makeServed } from '../../test/support/certificates.ts'
import { ACK_TOKEN, claims, SECRET, verdictQuery } from '../../test/support/payloads.ts'
import { startTerminator } from '../../test/support/terminator.ts'
import { startPortals } from './portals.ts'

export const ENGINES = {
  fast: { delay: 0, status: 302 },
  slow: { delay: 2_000, status: 302 },
  expired: { delay: 0, status: 410 },
} as const

export interface Contention {
  readonly engine: keyof typeof ENGINES
  readonly seconds: number
  /** Visitors with an address and a verdict of their own, spread over these seconds. */
  readonly visitors: number
  /** Whether the terminator's limits for each client address apply. */
  readonly isLimited: boolean
  readonly folder: string
  readonly after: (end: () => Promise<unknown>) => void
}

export interface ContentionResult {
  /** Visitors who got the engine's response. */
  readonly relayed: number
  /** By status, or `unanswered`. */
  readonly visitors: ReadonlyMap<string, number>
  readonly repeated: ReadonlyMap<string, number>
  readonly crowd: ReadonlyMap<string, number>
}

const HOST = 'portal.example'
const REPEATING_CONNECTIONS = 3
const MOST_STREAMS = 32
const CROWD = 300
const REPEATING_ADDRESS = '127.0.0.3'
const CROWD_ADDRESS = '127.0.0.2'
const PATIENCE = 15_000
/** Milliseconds until one of the crowd tries again after a 503: long before the `Retry-After` that it is given. */
const CROWD_PAUSE = 200

export async function contend({
  engine,
  seconds,
  visitors,
  isLimited,
  folder,
  after,
}: Contention): Promise<ContentionResult> {
  const { status, delay } = ENGINES[engine]
  const engineUrl = await startEngine(status, delay, after)
  const { ca, leaf } = makeServed(HOST)
  const leafFolder = join(folder, 'leaf')
  mkdirSync(leafFolder, { recursive: true })
  writeFileSync(join(leafFolder, 'portal.crt'), leaf.certificate)
  writeFileSync(join(leafFolder, 'portal.key'), leaf.key)
  const portals = await startPortals(
    1,
    {
      ENGINE_INTERNAL_URL: engineUrl,
      GATEWAY_CAPTIVE_BASE_URL: `https://${HOST}`,
      GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
      GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
      GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, `${engine}.db`)}`,
      GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
    },
    folder,
  )
  after(() => portals.stop())
  const terminator = await startTerminator(
    { after },
    {
      portal: `127.0.0.1:${portals.ports[0]}`,
      leaf: leafFolder,
      settings: isLimited ? {} : { TERMINATOR_UNLIMITED: '127.0.0.0/8' },
    },
  )
  const tls = { ca: ca.certificate, servername: HOST }
  const where = { host: '127.0.0.1', port: terminator.httpsPort, ...tls }

  const repeated = new Map<string, number>()
  const crowd = new Map<string, number>()
  const results = new Map<string, number>()
  const ended = new AbortController()
  const target = acknowledgement()
  const repeating = Array.from({ length: REPEATING_CONNECTIONS }, () => repeat(where, target, repeated, ended.signal))
  const agent = new Agent({ keepAlive: true, maxSockets: CROWD, localAddress: CROWD_ADDRESS })
  const crowding = Array.from({ length: CROWD }, () => acknowledgement()).map(async (path) => {
    while (!ended.signal.aborted) {
      const answer = await get({ ...where, agent, path })
      count(crowd, answer)
      if (answer === '503') await sleep(CROWD_PAUSE)
    }
  })
  // Until both of them hold what they can.
  for (const deadline = Date.now() + PATIENCE; repeated.size === 0; await sleep(20)) {
    if (Date.now() > deadline) throw new Error('the repeated acknowledgement has no response')
  }

  const visits: Promise<void>[] = []
  const startedAt = performance.now()
  while (visits.length < visitors) {
    const due = ((performance.now() - startedAt) / 1000) * (visitors / seconds)
    for (; visits.length < Math.min(due, visitors); ) {
      const localAddress = `127.1.${visits.length >> 8}.${visits.length & 255 || 1}`
      visits.push(
        get({ ...where, agent: false, localAddress, path: acknowledgement() }).then((one) => count(results, one)),
      )
    }
    await sleep(5)
  }
  await Promise.all(visits)
  ended.abort()
  await Promise.all([...crowding, ...repeating])
  agent.destroy()
  return { relayed: results.get(String(status)) ?? 0, visitors: results, repeated, crowd }
}

async function startEngine(status: number, delay: number, after: Contention['after']): Promise<string> {
  const engine = createServer((_request, response) => {
    const location = status === 302 && { Location: 'https://news.example/' }
    setTimeout(() => response.writeHead(status, { 'Content-Length': 0, ...location }).end(), delay)
  })
  engine.listen(0, '127.0.0.1')
  await once(engine, 'listening')
  after(async () => {
    engine.close()
    engine.closeAllConnections()
  })
  return `http://127.0.0.1:${(engine.address() as AddressInfo).port}`
}

/** The target of a new acknowledgement. */
function acknowledgement(): string {
  const ts = Math.floor(Date.now() / 1000)
  return `/api/captive/ack?${verdictQuery(claims(ts, { kind: 'aup', ack_token: ACK_TOKEN }))}`
}

/** Has as many requests for this target under way as one HTTP/2 connection allows, and reconnects when it is closed. */
async function repeat(
  where: ConnectionOptions,
  path: string,
  counts: Map<string, number>,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    const socket = connectTls({ ...where, localAddress: REPEATING_ADDRESS, ALPNProtocols: ['h2'] } as ConnectionOptions)
    const session = connectHttp2(`https://${HOST}`, { createConnection: () => socket })
    session.on('error', () => {})
    const closed = once(session, 'close')
    session.once('remoteSettings', ({ maxConcurrentStreams = MOST_STREAMS }) => {
      for (let stream = Math.min(maxConcurrentStreams, MOST_STREAMS); stream > 0; stream--) request()
    })
    const request = () => {
      if (ended.aborted) session.destroy()
      if (session.closed || session.destroyed) return
      const stream = session.request({ ':path': path })
      stream.on('error', () => {})
      stream.on('response', ({ ':status': status }) => count(counts, String(status)))
      stream.on('close', () => setImmediate(request))
      stream.resume()
    }
    await closed
  }
}

/** The status, or `unanswered`. */
function get(options: RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    const asking = httpsRequest({ headers: { host: HOST }, timeout: PATIENCE, ...options }, (response) => {
      response.on('error', () => resolve('unanswered'))
      response.on('end', () => resolve(String(response.statusCode)))
      response.resume()
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve('unanswered'))
    asking.end()
  })
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}
