// Visitors who accept a policy, as browsers do: some click twice, some mistype a code. Who finds a portal down goes to the
// next one. When a connection breaks, half of them try again with the same payload; the other half never comes back, so that
// nobody mends what their first try left behind.
import { request } from 'node:http'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import type { EngineProcess } from '../../test/support/engine-process.ts'

export interface Crowd {
  readonly engine: EngineProcess
  readonly ports: readonly number[]
  readonly seconds: number
  /** New visitors per second, whatever becomes of those before them. */
  readonly rate: number
}

/** What came of them, by number of visitors or requests. */
export interface CrowdResult {
  readonly visitors: number
  /** Visitors with the engine's redirect in their hands. */
  readonly passed: number
  /** Those who never had the right code. */
  readonly refused: number
  /** Those who left when their connection broke, or after half a minute. */
  readonly left: number
  /** Requests by status, or by why they had no answer. */
  readonly requests: ReadonlyMap<string, number>
  /** Of each answer, in microseconds. */
  readonly latency: RecordableHistogram
}

const PATIENCE_MS = 30_000
// In bursts, so that a kill finds many on their way.
const BURST_MS = 100
const WITHOUT_CODE = 'social.localhost'
const WITH_CODE = 'lab.localhost'
const RIGHT_CODE = '8036'
const WRONG_CODE = '8063'

/** Resolves when the last one has finished. */
export async function sendVisitors({ engine, ports, seconds, rate }: Crowd): Promise<CrowdResult> {
  const requests = new Map<string, number>()
  const latency = createHistogram()
  const outcomes = { passed: 0, refused: 0, left: 0 }
  const visits: Promise<void>[] = []
  const startedAt = performance.now()
  for (; performance.now() - startedAt < seconds * 1000; await sleep(BURST_MS)) {
    const due = Math.min(seconds, (performance.now() - startedAt) / 1000) * rate
    while (visits.length < due) visits.push(visit(visits.length))
  }
  await Promise.all(visits)
  return { visitors: visits.length, ...outcomes, requests, latency }

  async function visit(number: number): Promise<void> {
    const kind = number % 20
    const hasCode = kind < 3
    const query = await engine.issue(hasCode ? WITH_CODE : WITHOUT_CODE, address(number))
    const codes = !hasCode ? [undefined] : kind === 0 ? [WRONG_CODE] : [WRONG_CODE, RIGHT_CODE]
    let status: number | undefined
    for (const code of codes) {
      const clicks = Array.from({ length: kind === 5 || kind === 6 ? 2 : 1 }, () => acknowledge(query, number, code))
      const [first, second] = await Promise.all(clicks)
      status = second === 302 ? second : first
    }
    outcomes[status === 302 ? 'passed' : status === 403 ? 'refused' : 'left']++
  }

  /** The status of the answer that is the last word; undefined without one. */
  async function acknowledge(query: string, number: number, code: string | undefined): Promise<number | undefined> {
    for (let [tried, deadline] = [0, performance.now() + PATIENCE_MS]; performance.now() < deadline; tried++) {
      const startedAt = performance.now()
      const status = await get(ports[(number + tried) % ports.length] as number, query, code)
      requests.set(`${status}`, (requests.get(`${status}`) ?? 0) + 1)
      if (typeof status === 'number') {
        latency.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)))
        if (status < 500) return status
      }
      if (status === 'broken' && number % 2 === 0) return undefined
      await sleep(typeof status === 'number' ? 1000 : 100)
    }
    return undefined
  }
}

/** The status, or what became of the connection. */
function get(port: number, query: string, code: string | undefined): Promise<number | 'down' | 'broken'> {
  return new Promise((resolve) => {
    const headers = code === undefined ? {} : { [OVERRIDE_CODE_HEADER]: code }
    const path = `/api/captive/ack?${query}`
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false, timeout: PATIENCE_MS })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'down' : 'broken'))
    asking.on('response', (response) => {
      response.on('error', () => resolve('broken'))
      response.on('end', () => resolve(response.statusCode as number))
      response.resume()
    })
    asking.end()
  })
}

/** A different client for each: with a session the engine issues no verdict. */
function address(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
