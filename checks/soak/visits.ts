// What visitors of the gateway do, one visit after the other, with the responses expected of each.
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import type { Received, RequestOptions } from '../../test/proxy/proxy.ts'
import type { WholeGateway, WholeGatewayPlan } from '../../test/proxy/whole-gateway.ts'
import type { Faults } from './faults.ts'

/** Sessions last a minute, so that visitors meet the pages again and again. */
export const PLAN: WholeGatewayPlan = {
  policy: `
session_minutes = 1
[inspection]
exempt = ["bank.example"]
[[rules]]
name = "gambling"
match = ["casino.example"]
action = "block"
[[rules]]
name = "news"
match = ["news.example"]
action = "warn"
[[rules]]
name = "social"
match = ["social.example"]
action = "aup"
[[rules]]
name = "vault"
match = ["vault.example"]
action = "warn"
override = { type = "pin", code = "1234", attempts = 3, lockout_seconds = 20 }
`,
  hosts: ['casino.example', 'news.example', 'social.example', 'vault.example', 'weather.example'],
  exempt: ['bank.example'],
}

export interface Visits {
  /** Expected responses, by visit. */
  readonly good: ReadonlyMap<string, number>
  /** Others during a fault or shortly after, by visit. */
  readonly disturbed: ReadonlyMap<string, number>
  /** All others, by visit and what came instead. */
  readonly bad: ReadonlyMap<string, number>
  /** Waits for the last responses. */
  stop(): Promise<void>
}

/** Addresses of visitors, all on loopback. */
const VISITORS = 40
const BODY = Buffer.alloc(200_000, 'x')
/** More visits at once would measure the machine's speed. */
const MOST_AT_ONCE = 50

/** @param rate visits per second */
export function startVisits(whole: WholeGateway, rate: number, faults: Faults): Visits {
  const { gateway, baseUrl, exemptCa } = whole
  const good = new Map<string, number>()
  const disturbed = new Map<string, number>()
  const bad = new Map<string, number>()
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

  const get = (from: string, url: string, options: RequestOptions = {}) => gateway.request(url, { from, ...options })

  function expectStatus(received: Received, ...statuses: readonly number[]): Received {
    if (statuses.includes(received.status)) return received
    throw new Error(`status ${received.status}: ${received.body.slice(0, 200)}`)
  }

  function expectPage(received: Received, text = 'You have reached', status = 200): void {
    if (!expectStatus(received, status).body.includes(text)) throw new Error(`a page without "${text}"`)
  }

  /** The query of the portal's page that a stopped request leads to, after a look at the page; undefined if it is not stopped. */
  async function stopped(from: string, url: string, method = 'GET'): Promise<string | undefined> {
    const received = expectStatus(await get(from, url, { method }), 200, method === 'GET' ? 302 : 303)
    if (received.status === 200) return undefined
    const location = received.headers.location ?? ''
    if (!location.startsWith(`${baseUrl}/`)) throw new Error(`redirected to ${location.slice(0, 60)}`)
    expectStatus(await get(from, location), 200)
    return new URL(location).search
  }

  async function acknowledged(from: string, url: string): Promise<void> {
    const query = await stopped(from, url)
    if (query === undefined) return
    expectStatus(await get(from, `${baseUrl}/api/captive/ack${query}`), 302)
    expectPage(await get(from, url))
  }

  const kinds: Readonly<Record<string, (from: string) => Promise<unknown>>> = {
    'page over http': async (from) => expectPage(await get(from, 'http://weather.example/')),
    'page over https': async (from) => expectPage(await get(from, 'https://weather.example/today?id=7')),
    picture: async (from) => expectPage(await get(from, 'https://weather.example/picture.svg'), '<svg'),
    download: async (from) => expectPage(await get(from, 'https://weather.example/large'), 'xxx'),
    upload: async (from) =>
      expectPage(await get(from, 'https://weather.example/', { method: 'POST', body: BODY }), `${BODY.length} bytes`),
    'exempt site': async (from) => expectPage(await get(from, 'https://bank.example/', { ca: [exemptCa.certificate] })),
    'blocked page': async (from) => {
      if ((await stopped(from, 'https://casino.example/')) === undefined) throw new Error('not stopped')
    },
    'blocked form': async (from) => {
      if ((await stopped(from, 'https://casino.example/bet', 'POST')) === undefined) throw new Error('not stopped')
    },
    warning: (from) => acknowledged(from, 'https://news.example/'),
    policy: (from) => acknowledged(from, 'https://social.example/'),
    'wrong code': async (from) => {
      const query = await stopped(from, 'https://vault.example/')
      const headers = { [OVERRIDE_CODE_HEADER]: '0000' }
      expectStatus(await get(from, `${baseUrl}/api/captive/ack${query}`, { headers }), 403, 429)
    },
    'unknown site': async (from) =>
      expectPage(await get(from, 'https://nowhere.example/'), 'This site wasn’t found', 503),
    'forbidden port': async (from) => expectStatus(await get(from, 'https://weather.example:22/'), 403),
  }
  const names = Object.keys(kinds)
  const pending = new Set<Promise<void>>()
  let isStopped = false
  const running = (async () => {
    for (let number = 0; !isStopped; number++) {
      const name = names[number % names.length] as string
      // Of each kind, by another visitor.
      const from = `127.0.0.${2 + ((number + Math.floor(number / names.length)) % VISITORS)}`
      const sentAt = performance.now()
      const visit: Promise<void> = (kinds[name] as (from: string) => Promise<unknown>)(from)
        .then(
          () => count(good, name),
          (error: Error) =>
            faults.explained(sentAt).length > 0 ? count(disturbed, name) : count(bad, `${name}: ${error.message}`),
        )
        .then(() => void pending.delete(visit))
      pending.add(visit)
      await sleep(1_000 / rate)
      while (pending.size >= MOST_AT_ONCE) await Promise.race(pending)
    }
  })()
  return {
    ...{ good, disturbed, bad },
    async stop() {
      isStopped = true
      await running
      await Promise.all(pending)
    },
  }
}
