// Visitors who accept a policy, as browsers do: some click twice, some mistype a code, and all try again, with the same
// payload and perhaps at another portal, when the connection breaks or the answer says so.
import { request } from 'node:http'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { OVERRIDE_CODE_HEADER } from '../../src/contract/acknowledgement.ts'
import type { EngineProcess } from '../support/engine-process.ts'

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
  /** Those who never had the right code: refused, and gone. */
  readonly refused: number
  readonly gaveUp: number
  /** Requests by status; `broken` had no answer. */
  readonly requests: ReadonlyMap<string, number>
  /** Of each answer, in microseconds. */
  readonly latency: RecordableHistogram
}

const PATIENCE_MS = 30_000
const WITHOUT_CODE = 'social.localhost'
const WITH_CODE = 'lab.localhost'
const RIGHT_CODE = '8036'
const WRONG_CODE = '8063'

/** Resolves when the last of them has gone. */
export async function sendVisitors({ engine, ports, seconds, rate }: Crowd): Promise<CrowdResult> {
  const requests = new Map<string, number>()
  const latency = createHistogram()
  const outcomes = { passed: 0, refused: 0, gaveUp: 0 }
  const visits: Promise<void>[] = []
  const startedAt = performance.now()
  for (; performance.now() - startedAt < seconds * 1000; await sleep(5)) {
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
    outcomes[status === 302 ? 'passed' : status === 403 ? 'refused' : 'gaveUp']++
  }

  /** Until there is an answer that lets nobody try again; undefined without one. */
  async function acknowledge(query: string, number: number, code: string | undefined): Promise<number | undefined> {
    for (let [tried, deadline] = [0, performance.now() + PATIENCE_MS]; performance.now() < deadline; tried++) {
      const startedAt = performance.now()
      const status = await get(ports[(number + tried) % ports.length] as number, query, code)
      count(status ?? 'broken')
      if (status !== undefined) latency.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)))
      if (status !== undefined && status < 500) return status
      await sleep(status === undefined ? 100 : 1000)
    }
    return undefined
  }

  function count(what: number | 'broken'): void {
    requests.set(`${what}`, (requests.get(`${what}`) ?? 0) + 1)
  }
}

/** The status; undefined where the connection broke. */
function get(port: number, query: string, code: string | undefined): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = code === undefined ? {} : { [OVERRIDE_CODE_HEADER]: code }
    const path = `/api/captive/ack?${query}`
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false, timeout: PATIENCE_MS })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined))
    asking.on('response', (response) => {
      response.on('error', () => resolve(undefined))
      response.on('end', () => resolve(response.statusCode))
      response.resume()
    })
    asking.end()
  })
}

/** A client of its own for each: a session that there is already would let it pass without a verdict. */
function address(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}
