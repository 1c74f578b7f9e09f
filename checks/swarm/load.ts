// Visitors through the terminator, at a steady rate whatever happens to earlier ones: verdict pages, and policy
// acknowledgements, which are retried when the response is not a redirect.
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIssuer } from '../../test/support/engine-process.ts'

export interface Tally {
  requests: number
  /** Unexpected outcomes, by status or by how the connection failed. */
  readonly failed: Map<string, number>
}

export type Phase = ReturnType<typeof newPhase>

export type Load = Awaited<ReturnType<typeof startLoad>>

export interface LoadOptions {
  readonly port: number
  readonly ca: string
  readonly engineUrl: string
  readonly apiToken: string
  /** Requests per second. */
  readonly pages: number
  readonly acknowledgements: number
}

const PAGES = ['casino.localhost', 'weapons.localhost', 'news.localhost', 'social.localhost']
const DIFFERENT_PAGES = 100
const STEP_MS = 20
const PATIENCE_MS = 15_000
const TRIES = 30

const newTally = (): Tally => ({ requests: 0, failed: new Map() })
const newPhase = (name: string) => ({
  name,
  startedAt: performance.now(),
  seconds: 0,
  pages: newTally(),
  acknowledgements: newTally(),
})

export async function startLoad({ port, ca, engineUrl, apiToken, pages, acknowledgements }: LoadOptions) {
  // Separate connections: acknowledgements that wait for the database must not keep pages waiting here.
  const newAgent = () => new Agent({ keepAlive: true, maxSockets: 128, ca })
  const agents = { pages: newAgent(), acknowledgements: newAgent() }
  const issuer = createIssuer(engineUrl, ca, apiToken)
  const targets: string[] = []
  for (let number = 0; number < DIFFERENT_PAGES; number++) {
    const { pathname, search } = await issuer.issue(PAGES[number % PAGES.length] as string, `10.255.0.${number}`)
    targets.push(pathname + search)
  }
  const pending = { pages: 0, acknowledgements: 0 }
  const phases: Phase[] = []
  const inProgress = new Set<Promise<void>>()
  let phase = newPhase('before')
  let visitors = 0
  let [acknowledged, gaveUp] = [0, 0]
  let isOver = false

  const running = (async () => {
    const startedAt = performance.now()
    for (let shown = 0; !isOver; await sleep(STEP_MS)) {
      const elapsed = (performance.now() - startedAt) / 1000
      for (; shown < elapsed * pages; shown++) start(send('pages', targets[shown % targets.length] as string, 200))
      while (visitors < elapsed * acknowledgements) start(visit(visitors++))
    }
  })()

  function start(work: Promise<unknown>): void {
    const done = work.then(() => void inProgress.delete(done))
    inProgress.add(done)
  }

  async function visit(number: number): Promise<void> {
    const client = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    const { search } = await issuer.issue('social.localhost', client)
    for (let tried = 0; tried < TRIES; tried++) {
      if (await send('acknowledgements', `/api/captive/ack${search}`, 302)) return void acknowledged++
      await sleep(1000)
    }
    gaveUp++
  }

  /** @returns whether the response has the expected status */
  async function send(kind: 'pages' | 'acknowledgements', path: string, expected: number): Promise<boolean> {
    const tally = phase[kind]
    tally.requests++
    pending[kind]++
    const result = await get(path, agents[kind])
    pending[kind]--
    if (result === expected) return true
    tally.failed.set(`${result}`, (tally.failed.get(`${result}`) ?? 0) + 1)
    return false
  }

  function get(path: string, agent: Agent): Promise<number | string> {
    return new Promise((resolve) => {
      const outgoing = request({ host: 'localhost', port, path, agent, timeout: PATIENCE_MS })
      outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error(), { code: 'late' })))
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The terminator has just closed an old kept-alive connection. Every browser retries; a fault of the portal
        // arrives as a response of the terminator.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(get(path, agent))
        else resolve(error.code ?? 'broken')
      })
      outgoing.on('response', (response) => {
        response.on('error', () => resolve('broken'))
        response.on('end', () => resolve(response.complete ? outcomeOf(response) : 'broken'))
        response.resume()
      })
      outgoing.end()
    })
  }

  function close(): void {
    phase.seconds = (performance.now() - phase.startedAt) / 1000
    phases.push(phase)
  }

  return {
    /** Starts a phase; requests from now on count for it. */
    begin(name: string) {
      close()
      phase = newPhase(name)
    },
    inFlight: () => ({ ...pending }),
    /** Stops, and waits for the last responses. */
    async end() {
      isOver = true
      await running
      while (inProgress.size > 0) await Promise.all(inProgress)
      close()
      agents.pages.destroy()
      agents.acknowledgements.destroy()
      issuer.close()
      return { phases, acknowledged, gaveUp }
    },
  }
}

/** Every response of the portal names its language; the terminator's own do not. */
function outcomeOf({ statusCode = 0, headers }: IncomingMessage): number | string {
  const isTerminators = statusCode >= 500 && headers['content-language'] === undefined
  return isTerminators ? `${statusCode} by the terminator` : statusCode
}
