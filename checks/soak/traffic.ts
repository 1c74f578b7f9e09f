// Mixed requests of visitors, strangers and probes at a steady rate, with the responses expected for each.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import type { Faults } from './faults.ts'

export interface Traffic {
  /** Expected responses, by `what status`. */
  readonly good: ReadonlyMap<string, number>
  /** All other responses, by `what status`. */
  readonly bad: ReadonlyMap<string, number>
  /** Resolves after the last response. */
  stop(): Promise<void>
}

type Step = (number: number) => Promise<void>
type Headers = Readonly<Record<string, string>>

const PAGE = [200]
/** From the engine. */
const ACKNOWLEDGED = [302]
const SAMPLES = { block: 'casino.example', warn: 'news.example', aup: 'social.example', pin: 'vault.example' }
const RIGHT_CODE = '1234'
/** As behind the terminator. */
const FORWARDED: Headers = { 'x-forwarded-proto': 'https' }
const WAITING_SECONDS = 12

/**
 * @param issue the query of a new verdict on this host for this client
 * @param rate approximate requests per second
 */
export function startTraffic(
  port: number,
  issue: (host: string, client: string) => Promise<string>,
  rate: number,
  faults: Faults,
): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const good = new Map<string, number>()
  const bad = new Map<string, number>()
  let queries: Readonly<Record<'block' | 'warn' | 'aup', string>> | undefined
  /** A stock of verdicts to acknowledge, for the time while the engine is suspended. */
  const waiting = { aup: [] as string[], pin: [] as string[] }
  let isStopped = false
  const page = (what: string, target: string, expected = PAGE, headers: Headers = {}) =>
    send(what, target, expected, headers)

  const kinds: readonly Step[] = [
    () => page('blocked page', `/blocked?${queries?.block}`),
    () => page('warned page', `/warned?${queries?.warn}`, PAGE, { 'accept-language': 'de' }),
    () => page('policy', `/aup?${queries?.aup}`, PAGE, { 'accept-language': 'fr' }),
    () => page('changed payload', `/blocked?${queries?.block.replace(/^p=./, 'p=f')}`, [403]),
    () => page('other verdict', `/warned?${queries?.block}`, [403]),
    () => page('no payload', '/aup?p=&v=1&ts=1', [400]),
    () => page('certificate page', '/ca'),
    () => page('certificate', '/ca.crt'),
    () => page('profile', '/ca.mobileconfig'),
    () => page('privacy', '/privacy', PAGE, { cookie: '__Host-gateway-captive=forged.signature' }),
    () => page('health', '/healthz'),
    (number) => page('unknown', `/${number}/../<script>`, [404]),
    (number) => page('other language', '/privacy', PAGE, { 'accept-language': `xx-${number}` }),
    () => page('frame', `/blocked?${queries?.block}`, [403], { 'sec-fetch-dest': 'iframe' }),
    async (number) => {
      const query = next('aup', number)
      if (query !== undefined) await acknowledge('acceptance', query, ACKNOWLEDGED)
    },
    async (number) => {
      const query = next('pin', number)
      if (query === undefined) return
      await acknowledge('wrong code', query, [403], { [OVERRIDE_CODE_HEADER]: '0000' })
      await acknowledge('right code', query, ACKNOWLEDGED, { [OVERRIDE_CODE_HEADER]: RIGHT_CODE })
    },
  ]

  const running = new Set<Promise<void>>()
  const ended = run()
  return {
    good,
    bad,
    async stop() {
      isStopped = true
      await ended
      await Promise.all(running)
      agent.destroy()
    },
  }

  async function run(): Promise<void> {
    const startedAt = performance.now()
    for (let number = 0; !isStopped; number++) {
      if (queries === undefined) await renew()
      // Before their replay window closes.
      else if (number % (rate * 60) === 0) void renew()
      const done: Promise<void> = (kinds[number % kinds.length] as Step)(number).then(() => void running.delete(done))
      running.add(done)
      const early = startedAt + (number * 1000) / rate - performance.now()
      if (early > 0) await sleep(early)
    }
  }

  /** @returns the oldest verdict in stock, once there are enough; requests another one from the engine */
  function next(kind: keyof typeof waiting, number: number): string | undefined {
    void verdict(kind, number).then((query) => query !== undefined && waiting[kind].push(query))
    return waiting[kind].length > (rate / kinds.length) * WAITING_SECONDS ? waiting[kind].shift() : undefined
  }

  /** @returns undefined when a fault broke the connection to the engine */
  async function verdict(kind: keyof typeof SAMPLES, number: number): Promise<string | undefined> {
    try {
      return await issue(SAMPLES[kind], client(number))
    } catch {
      return undefined
    }
  }

  async function renew(): Promise<void> {
    const [block, warn, aup] = await Promise.all([verdict('block', 0), verdict('warn', 0), verdict('aup', 0)])
    if (block !== undefined && warn !== undefined && aup !== undefined) queries = { block, warn, aup }
  }

  function acknowledge(what: string, query: string, expected: readonly number[], headers: Headers = {}): Promise<void> {
    const sentAt = performance.now()
    return send(what, `/api/captive/ack?${query}`, expected, headers, () => faults.explained(sentAt))
  }

  /** @param explained further statuses that are right, when the response is there */
  function send(
    what: string,
    target: string,
    expected: readonly number[],
    headers: Headers,
    explained: () => readonly number[] = () => [],
  ): Promise<void> {
    return new Promise((resolve) => {
      const done = (status: number | string) => {
        const counts = [...expected, ...explained()].includes(Number(status)) ? good : bad
        const name = `${what} ${status}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
        resolve()
      }
      const outgoing = request({ host: '127.0.0.1', port, path: target, headers: { ...FORWARDED, ...headers }, agent })
      outgoing.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
      outgoing.on('response', (response) => {
        response.on('end', () => done(response.statusCode as number))
        response.resume()
      })
      outgoing.end()
    })
  }
}

/** A different address for each visitor: the engine issues no verdict to a client with a session. */
function client(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
