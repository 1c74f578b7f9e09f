// Acknowledgements of many visitors next to two greedy clients (contenders.ts). Everything goes through the shipped
// terminator, over TLS. This process only plays the visitors and the engine.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeServed } from '../../test/support/certificates.ts'
import { SECRET } from '../../test/support/payloads.ts'
import { startTerminator } from '../../test/support/terminator.ts'
import { acknowledgement, count, get, HOST } from './acknowledging.ts'
import { startPortals } from './portals.ts'

export const ENGINES = {
  fast: { delay: 0, status: 302 },
  slow: { delay: 2_000, status: 302 },
  expired: { delay: 0, status: 410 },
} as const

/** What the two clients do. */
export const CONTENDERS = {
  /** Each verdict has one request in flight; after 429, 503 or a broken connection, the next one follows this pause. */
  crowd: { address: '127.0.0.2', verdicts: 300, pause: [50, 200] },
  /** Each stream is replaced at once, up to this rate. */
  repeater: { address: '127.0.0.3', connections: 3, streams: 32, perSecond: 500 },
} as const

const CONTENDERS_LIMIT = 60_000

export interface Contention {
  readonly engine: keyof typeof ENGINES
  readonly seconds: number
  /** Each visitor has a separate address and verdict; they are spread over these seconds. */
  readonly visitors: number
  /** Whether the terminator's limits for each client address apply to the two clients. */
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
  /** Milliseconds that visitors waited. */
  readonly median: number
  readonly longest: number
}

/** Where the contenders send their requests. */
export interface Where {
  readonly host: string
  readonly port: number
  readonly ca: string
  readonly servername: string
}

export type ContendersReport = Readonly<Record<'repeated' | 'crowd', readonly (readonly [string, number])[]>>

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
      GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, `${engine}-${isLimited}.db`)}`,
      GATEWAY_CAPTIVE_TRUSTED_PROXIES: '127.0.0.1',
    },
    folder,
  )
  after(() => portals.stop())
  const { crowd, repeater } = CONTENDERS
  const terminator = await startTerminator(
    { after },
    {
      portal: `127.0.0.1:${portals.ports[0]}`,
      leaf: leafFolder,
      settings: isLimited ? {} : { TERMINATOR_UNLIMITED: `${crowd.address} ${repeater.address}` },
    },
  )
  const where: Where = { host: '127.0.0.1', port: terminator.httpsPort, ca: ca.certificate, servername: HOST }
  const contenders = await startContenders(where, after)

  const results = new Map<string, number>()
  const waits: number[] = []
  const visit = async (localAddress: string) => {
    const startedAt = performance.now()
    count(results, await get({ ...where, agent: false, localAddress, path: acknowledgement() }))
    waits.push(Math.round(performance.now() - startedAt))
  }
  const visits: Promise<void>[] = []
  const startedAt = performance.now()
  while (visits.length < visitors) {
    const due = ((performance.now() - startedAt) / 1000) * (visitors / seconds)
    for (; visits.length < Math.min(due, visitors); ) {
      visits.push(visit(`127.1.${visits.length >> 8}.${visits.length & 255 || 1}`))
    }
    await sleep(5)
  }
  await Promise.all(visits)
  waits.sort((one, other) => one - other)
  return {
    relayed: results.get(String(status)) ?? 0,
    visitors: results,
    ...(await contenders.stop()),
    median: waits[waits.length >> 1] as number,
    longest: waits.at(-1) as number,
  }
}

/** Resolves when both have received a response. */
async function startContenders(where: Where, after: Contention['after']) {
  const child = fork(new URL('./contenders.ts', import.meta.url))
  after(async () => child.kill('SIGKILL'))
  child.send(where)
  await once(child, 'message', { signal: AbortSignal.timeout(CONTENDERS_LIMIT) })
  return {
    async stop() {
      const reported = once(child, 'message', { signal: AbortSignal.timeout(CONTENDERS_LIMIT) })
      child.send('stop')
      const [{ repeated, crowd }] = (await reported) as [ContendersReport]
      return { repeated: new Map(repeated), crowd: new Map(crowd) }
    },
  }
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
