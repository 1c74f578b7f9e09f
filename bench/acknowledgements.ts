// Acknowledgements in a closed loop: each connection sends its next one when its last is answered with the engine's 302.
import { Agent, get, type IncomingMessage } from 'node:http'
import { createHistogram } from 'node:perf_hooks'
import type { Durations } from './durable-commits.ts'

export interface AcknowledgementRun {
  /** Acknowledgements per second. */
  readonly rate: number
  readonly durations: Durations
}

/**
 * Until the time is over, or every query has been sent.
 * @param queries of verdicts that nobody has acknowledged yet
 * @throws {Error} at the first answer that is no 302
 */
export async function acknowledge(
  port: number,
  queries: readonly string[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<AcknowledgementRun> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const durations = createHistogram()
  const rest = queries.values()
  const startedAt = performance.now()
  const talk = async () => {
    for (const query of rest) {
      const askedAt = performance.now()
      if (askedAt - startedAt > seconds * 1000) return
      const status = await ask(agent, port, query)
      if (status !== 302) throw new Error(`an acknowledgement was answered with ${status}`)
      durations.record(Math.max(1, Math.round((performance.now() - askedAt) * 1000)))
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, talk))
  } finally {
    agent.destroy()
  }
  return { rate: durations.count / ((performance.now() - startedAt) / 1000), durations }
}

function ask(agent: Agent, port: number, query: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Forwarded-Proto': 'https', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' }
    get({ host: '127.0.0.1', port, path: `/api/captive/ack?${query}`, agent, headers }, (response: IncomingMessage) => {
      response.on('end', () => resolve(response.statusCode))
      response.resume()
    }).on('error', reject)
  })
}
