// Visitors behind the proxy, at a constant rate: each requests a site that the engine allows, one that no rule names, a stopped
// one or a page of the portal, and what comes back is recorded.
import { setTimeout as sleep } from 'node:timers/promises'
import { PORTAL_HOST } from '../../test/proxy/proxy.ts'
import type { WholeGateway } from '../../test/proxy/whole-gateway.ts'

export const ALLOWED_HOST = 'weather.example'
export const UNRULED_HOST = 'news.example'
export const STOPPED_HOST = 'casino.example'

export type Kind = 'allowed' | 'unruled' | 'stopped' | 'portal'

/** What a visitor gets: the site, a redirect to the portal, or one of the pages; otherwise a status or an error's code. */
export type Outcome =
  | 'site'
  | 'redirect'
  | 'portal'
  | 'failure page'
  | "terminator's page"
  /** Nothing listens on the proxy's port. */
  | 'refused'
  | `other: ${string}`

interface Visit {
  readonly kind: Kind
  readonly outcome: Outcome
  /** When it was sent and how long it took, in milliseconds. */
  readonly sentAt: number
  readonly milliseconds: number
}

export interface Visitors {
  /** The portal's page that they visit. */
  readonly page: string
  /** Waits for what was sent in this span, and returns it. */
  visits(from: number, to: number): Promise<readonly Visit[]>
  stop(): Promise<void>
}

/** Visits per second; more than half of them over https. */
const RATE = 20

export async function startVisitors(whole: WholeGateway): Promise<Visitors> {
  const done: Visit[] = []
  const pending = new Map<Promise<void>, number>()
  const page = await pageOf(whole)
  const turns: readonly (readonly [Kind, string])[] = [
    ['allowed', `http://${ALLOWED_HOST}/`],
    ['stopped', `http://${STOPPED_HOST}/`],
    ['unruled', `http://${UNRULED_HOST}/`],
    ['allowed', `https://${ALLOWED_HOST}/`],
    ['stopped', `https://${STOPPED_HOST}/`],
    ['unruled', `https://${UNRULED_HOST}/`],
    ['portal', page],
  ]
  let sent = 0
  const send = () => {
    const [kind, url] = turns[sent++ % turns.length] as (typeof turns)[number]
    const sentAt = performance.now()
    const visit = outcomeOf(whole, url).then((outcome) => {
      done.push({ kind, outcome, sentAt, milliseconds: performance.now() - sentAt })
      pending.delete(visit)
    })
    pending.set(visit, sentAt)
  }
  const timer = setInterval(send, 1_000 / RATE)
  return {
    page,
    async visits(from, to) {
      await Promise.all([...pending].flatMap(([visit, sentAt]) => (sentAt <= to ? [visit] : [])))
      return done.filter(({ sentAt }) => sentAt >= from && sentAt <= to)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(pending.keys())
    },
  }
}

/** The address of the page to which a stopped request is redirected. */
async function pageOf({ gateway }: WholeGateway): Promise<string> {
  const { headers } = await gateway.request(`http://${STOPPED_HOST}/`)
  if (headers.location === undefined) throw new Error('a stopped request was not redirected')
  return headers.location
}

async function outcomeOf({ gateway, baseUrl }: WholeGateway, url: string): Promise<Outcome> {
  try {
    const { status, headers, body } = await gateway.request(url)
    if (body.includes('You have reached')) return 'site'
    if (status === 302 && headers.location?.startsWith(`${baseUrl}/`)) return 'redirect'
    if (status === 500 && body.includes('The gateway can’t check this page right now')) return 'failure page'
    if (new URL(url).hostname === PORTAL_HOST) {
      if (status === 200 && body.includes('This page is blocked')) return 'portal'
      if (status === 503 && body.includes('Back in a moment')) return "terminator's page"
    }
    return `other: ${status}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ECONNREFUSED' ? 'refused' : `other: ${code ?? message}`
  }
}

/** Requests it until this comes back. @returns the milliseconds that it took */
export async function recovery(whole: WholeGateway, url: string, wanted: Outcome, seconds: number): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const outcome = await outcomeOf(whole, url)
    const milliseconds = performance.now() - startedAt
    if (outcome === wanted) return milliseconds
    if (milliseconds > seconds * 1_000) throw new Error(`still ${outcome} after ${seconds} s: ${url}`)
    await sleep(20)
  }
}
