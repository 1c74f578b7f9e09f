// The client of the attempts, in the network namespace of the devices: performs their steps, all at once, and reports nothing
// but that it is done. What has happened is seen at the sites, and in the engine's log.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Step } from './attempts.ts'

export interface Work {
  readonly proxy: { readonly host: string; readonly port: number }
  readonly site: string
  readonly attempts: readonly (readonly Step[])[]
}

/** How long a step waits for the proxy until `go`, which says how long then. */
const BEFORE_MS = 3_000
/** How long a handshake waits after a response that refuses the tunnel. */
const REFUSED_MS = 100
/** How many attempts are performed at the same time while the engine works; otherwise all are. */
const CONCURRENT = 300

export interface Go {
  /** How long a step waits from now on, in milliseconds. */
  readonly stepMs: number
  readonly atOnce: boolean
}

let stepMs = BEFORE_MS
const { promise: started, resolve: start } = Promise.withResolvers<Go>()

process.on('message', (message: Work | Go) => {
  if ('attempts' in message) void perform(message)
  else start(message)
})

async function perform({ proxy, site, attempts }: Work): Promise<void> {
  const places = { proxy, 'site 80': { host: site, port: 80 }, 'site 443': { host: site, port: 443 } }
  const prepared = attempts.map((steps) => {
    const at = steps.findIndex((step) => step.do === 'wait')
    return { connection: new Connection(places), before: steps.slice(0, at), after: steps.slice(at + 1) }
  })
  await inParallel(CONCURRENT, prepared, ({ connection, before }) => connection.perform(before))
  process.send?.('prepared')
  const go = await started
  stepMs = go.stepMs
  const limit = go.atOnce ? prepared.length : CONCURRENT
  await inParallel(limit, prepared, ({ connection, after }) => connection.perform(after))
  process.send?.('done')
}

async function inParallel<T>(limit: number, all: readonly T[], perform: (one: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) await perform(one)
  }
  await Promise.all(Array.from({ length: limit }, worker))
}

type Places = Readonly<Record<'proxy' | 'site 80' | 'site 443', { readonly host: string; readonly port: number }>>

class Connection {
  readonly #places: Places
  #socket: Socket | undefined
  #stream: Duplex | undefined
  #received = ''

  constructor(places: Places) {
    this.#places = places
  }

  /** Never rejects: a refused step is what the attempt wants to see refused. */
  async perform(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      try {
        await this.#perform(step)
      } catch {}
    }
  }

  async #perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'dial': {
        this.#socket = connect(this.#places[step.to]).on('error', () => {})
        this.#use(this.#socket)
        await once(this.#socket, 'connect', { signal: AbortSignal.timeout(stepMs) })
        return
      }
      case 'write':
        this.#received = ''
        this.#stream?.write(step.text)
        return
      case 'read':
        for (const deadline = Date.now() + stepMs; !isWhole(this.#received) && Date.now() < deadline; ) {
          if (this.#stream?.destroyed) return
          await sleep(5)
        }
        return
      case 'handshake': {
        const below = this.#stream as Duplex
        const isRefused = /^HTTP\/1\.[01] (?!200)/.test(this.#received)
        below.removeAllListeners('data')
        const stream = connectTls({ socket: below, servername: step.name, rejectUnauthorized: false })
        stream.on('error', () => {})
        try {
          const signal = AbortSignal.timeout(isRefused ? REFUSED_MS : stepMs)
          await Promise.race([once(stream, 'secureConnect', { signal }), closed(below)])
          this.#use(stream)
        } catch {
          // What follows is then written as it is.
          if (!below.destroyed) this.#use(below)
        }
      }
    }
  }

  #use(stream: Duplex): void {
    this.#received = ''
    this.#stream = stream
    stream.on('data', (chunk) => {
      this.#received += chunk.toString('latin1')
    })
  }
}

/** Rejects when it closes. */
async function closed(stream: Duplex): Promise<never> {
  if (!stream.destroyed) await once(stream, 'close')
  throw new Error('closed')
}

/** Whether a response and its body have been received. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0)
  return text.length >= end + 4 + length
}
