// Visitors through the terminator, at a steady rate whatever becomes of those before: pages of verdicts, and
// acknowledgements of a policy, who come again when they are told to.
import { Agent, request } from 'node:https'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIssuer } from '../../test/support/engine-process.ts'

export interface Tally {
  readonly requests: number
  /** By status, or by what became of the connection: what was not as it should be. */
  readonly failed: ReadonlyMap<string, number>
  /** In microseconds, of those that were answered. */
  readonly latency: RecordableHistogram
}

export interface Phase {
  readonly name: string
  readonly seconds: number
  readonly pages: Tally
  readonly acknowledgements: Tally
}

export interface Load {
  /** What comes from now on belongs to this phase. */
  begin(phase: string): void
  inFlight(): { readonly pages: number; readonly acknowledgements: number }
  /** Stops, and waits for the last answers. */
  end(): Promise<{ readonly phases: readonly Phase[]; readonly acknowledged: number; readonly gaveUp: number }>
}

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

type RunningTally = { requests: number; failed: Map<string, number>; latency: RecordableHistogram }

export async function startLoad(options: LoadOptions): Promise<Load> {
  const { port, ca, engineUrl, apiToken, pages, acknowledgements } = options
  const agent = new Agent({ keepAlive: true, maxSockets: 128, ca })
  const issuer = createIssuer(engineUrl, ca, apiToken)
  const targets: string[] = []
  for (let number = 0; number < DIFFERENT_PAGES; number++) {
    const { pathname, search } = await issuer.issue(PAGES[number % PAGES.length] as string, `10.255.0.${number}`)
    targets.push(pathname + search)
  }
  const newTally = (): RunningTally => ({ requests: 0, failed: new Map(), latency: createHistogram() })
  const newPhase = (name: string) => ({
    name,
    startedAt: performance.now(),
    seconds: 0,
    pages: newTally(),
    acknowledgements: newTally(),
  })
  const flying = { pages: 0, acknowledgements: 0 }
  const phases: ReturnType<typeof newPhase>[] = []
  const going = new Set<Promise<void>>()
  let phase = newPhase('before')
  let visitors = 0
  let [acknowledged, gaveUp] = [0, 0]
  let isOver = false

  const running = (async () => {
    const startedAt = performance.now()
    for (let shown = 0; !isOver; await sleep(STEP_MS)) {
      const elapsed = (performance.now() - startedAt) / 1000
      for (; shown < elapsed * pages; shown++) go(ask('pages', targets[shown % targets.length] as string, 200))
      while (visitors < elapsed * acknowledgements) go(visit(visitors++))
    }
  })()

  function go(work: Promise<unknown>): void {
    const gone = work.then(() => void going.delete(gone))
    going.add(gone)
  }

  async function visit(number: number): Promise<void> {
    const client = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    const { search } = await issuer.issue('social.localhost', client)
    for (let tried = 0; tried < TRIES; tried++) {
      if (await ask('acknowledgements', `/api/captive/ack${search}`, 302)) return void acknowledged++
      await sleep(1000)
    }
    gaveUp++
  }

  /** Whether the answer is this. */
  async function ask(kind: 'pages' | 'acknowledgements', path: string, wanted: number): Promise<boolean> {
    const tally = phase[kind]
    tally.requests++
    flying[kind]++
    const startedAt = performance.now()
    const result = await get(path)
    flying[kind]--
    if (typeof result === 'number')
      tally.latency.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)))
    if (result === wanted) return true
    tally.failed.set(`${result}`, (tally.failed.get(`${result}`) ?? 0) + 1)
    return false
  }

  function get(path: string): Promise<number | string> {
    return new Promise((resolve) => {
      const asking = request({ host: 'localhost', port, path, agent, timeout: PATIENCE_MS })
      asking.on('timeout', () => asking.destroy(Object.assign(new Error(), { code: 'late' })))
      asking.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the terminator has just closed for its age. Every browser asks again; whatever a portal
        // does wrong comes as an answer of the terminator.
        if (asking.reusedSocket && error.code === 'ECONNRESET') resolve(get(path))
        else resolve(error.code ?? 'broken')
      })
      asking.on('response', (response) => {
        response.on('error', () => resolve('broken'))
        response.on('end', () => resolve(response.complete ? (response.statusCode as number) : 'broken'))
        response.resume()
      })
      asking.end()
    })
  }

  function close(): void {
    phase.seconds = (performance.now() - phase.startedAt) / 1000
    phases.push(phase)
  }

  return {
    begin(name) {
      close()
      phase = newPhase(name)
    },
    inFlight: () => ({ ...flying }),
    async end() {
      isOver = true
      await running
      while (going.size > 0) await Promise.all(going)
      close()
      agent.destroy()
      issuer.close()
      return { phases, acknowledged, gaveUp }
    },
  }
}
