// What visitors, strangers and probes ask for, all mixed, at a steady pace, and which answers are right.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import type { EngineProcess } from '../../test/support/engine-process.ts'

export interface Traffic {
  /** By `what status`, of answers that are right. */
  readonly good: ReadonlyMap<string, number>
  /** By `what status`, of all others. */
  readonly bad: ReadonlyMap<string, number>
  /** Resolves when the last answer is there. */
  stop(): Promise<void>
}

type Asking = (number: number) => Promise<void>
type Headers = Readonly<Record<string, string>>

const PAGE = [200]
/** While the engine is stopped or the database is down; otherwise the engine's own. */
const ACKNOWLEDGED = [302, 502, 503, 504]
const SAMPLES = { block: 'casino.localhost', warn: 'news.localhost', aup: 'social.localhost', pin: 'lab.localhost' }
const RIGHT_CODE = '8036'
const WAITING_SECONDS = 12

/** @param rate requests a second, about */
export function startTraffic(port: number, engine: EngineProcess, rate: number): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const good = new Map<string, number>()
  const bad = new Map<string, number>()
  let queries: Readonly<Record<'block' | 'warn' | 'aup', string>> | undefined
  /** Verdicts that wait to be acknowledged, so that there are some while the engine is stopped. */
  const waiting = { aup: [] as string[], pin: [] as string[] }
  let isStopped = false
  const page = (what: string, target: string, expected = PAGE, headers: Headers = {}) =>
    ask(what, target, expected, headers)

  const kinds: readonly Asking[] = [
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
      await acknowledge('wrong code', query, [403, ...ACKNOWLEDGED.slice(1)], { [OVERRIDE_CODE_HEADER]: '0000' })
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
      // Before their window closes.
      else if (number % (rate * 60) === 0) void renew()
      const asked: Promise<void> = (kinds[number % kinds.length] as Asking)(number).then(
        () => void running.delete(asked),
      )
      running.add(asked)
      const early = startedAt + (number * 1000) / rate - performance.now()
      if (early > 0) await sleep(early)
    }
  }

  /** The oldest that waits, once there are enough; another one is on its way. */
  function next(kind: keyof typeof waiting, number: number): string | undefined {
    void issue(kind, number).then((query) => query !== undefined && waiting[kind].push(query))
    return waiting[kind].length > (rate / kinds.length) * WAITING_SECONDS ? waiting[kind].shift() : undefined
  }

  /** Undefined where the engine's connection did not outlive a fault. */
  function issue(kind: keyof typeof SAMPLES, number: number): Promise<string | undefined> {
    return engine.issue(SAMPLES[kind], client(number)).catch(() => undefined)
  }

  async function renew(): Promise<void> {
    const [block, warn, aup] = await Promise.all([issue('block', 0), issue('warn', 0), issue('aup', 0)])
    if (block !== undefined && warn !== undefined && aup !== undefined) queries = { block, warn, aup }
  }

  function acknowledge(what: string, query: string, expected: readonly number[], headers: Headers = {}): Promise<void> {
    return ask(what, `/api/captive/ack?${query}`, expected, headers)
  }

  function ask(what: string, target: string, expected: readonly number[], headers: Headers): Promise<void> {
    return new Promise((resolve) => {
      const done = (status: number | string) => {
        const counts = expected.includes(Number(status)) ? good : bad
        const name = `${what} ${status}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
        resolve()
      }
      const asking = request({ host: '127.0.0.1', port, path: target, headers, agent })
      asking.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
      asking.on('response', (response) => {
        response.on('end', () => done(response.statusCode as number))
        response.resume()
      })
      asking.end()
    })
  }
}

/** A different client for each: with a session the engine issues no verdict. */
function client(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
