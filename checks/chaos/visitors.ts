// Simulates visitors who accept a policy: some click twice, some mistype a code. When a portal is down, a visitor tries
// the next one. When a connection breaks, half of them retry with the same payload; the other half never returns, so
// that no retry repairs what the first attempt left behind.
import { request } from 'node:http'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import type { EngineProcess } from '../../test/support/engine-process.ts'

export interface Crowd {
  readonly engine: EngineProcess
  readonly ports: readonly number[]
  readonly seconds: number
  /** New visitors per second, whatever happens to earlier ones. */
  readonly rate: number
}

/** Outcomes, counted by visitor or by request. */
export interface CrowdResult {
  readonly visitors: number
  /** Visitors who received the engine's redirect. */
  readonly passed: number
  /** Visitors who never entered the right code. */
  readonly refused: number
  /** Visitors who left when their connection broke, or after half a minute. */
  readonly left: number
  /** Requests by status, or by the reason why they got no response. */
  readonly requests: ReadonlyMap<string, number>
  /** Microseconds from request to response. */
  readonly latency: RecordableHistogram
}

const PATIENCE_MS = 30_000
// In bursts, so that a kill interrupts many requests.
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

  /** Retries as the visitor would. @returns the last status; undefined when the visitor leaves without one */
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

/** @returns the status, or how the connection failed */
function get(port: number, query: string, code: string | undefined): Promise<number | 'down' | 'broken'> {
  return new Promise((resolve) => {
    const headers = code === undefined ? {} : { [OVERRIDE_CODE_HEADER]: code }
    const path = `/api/captive/ack?${query}`
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false, timeout: PATIENCE_MS })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'down' : 'broken'))
    outgoing.on('response', (response) => {
      response.on('error', () => resolve('broken'))
      response.on('end', () => resolve(response.statusCode as number))
      response.resume()
    })
    outgoing.end()
  })
}

/** A different address for each visitor: the engine issues no verdict to a client with a session. */
function address(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
