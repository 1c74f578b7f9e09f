// The contenders of a scenario: a server, its requests, and its measurements so far.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { MeasuredTarget } from '../test/support/load/load.ts'
import { residentBytes } from '../test/support/processes.ts'
import { type Server, type ServerPlan, startServer } from '../test/support/servers.ts'
import { type BenchEnvironment, folderOf } from './environment.ts'
import { type BrowserRequest, requestBytes } from './requests.ts'

/** One run of the load, with what it cost the servers. */
export interface Run {
  /** Their number. */
  readonly responses: number
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds, all three. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Mean size of a response, head and body. */
  readonly bytes: number
  /** Microseconds of CPU time per request; NaN where unavailable. */
  readonly cpu: number
  /** The part of each server, with the processes that it started. */
  readonly cpuOfEach: readonly number[]
  /** The share of time in which the servers used their core. */
  readonly busy: number
  /** At the end of the run. */
  readonly residentBytes: number
}

/** One number of a run. */
export type Figure = Exclude<keyof Run, 'cpuOfEach'>

export interface Contender {
  readonly name: string
  readonly target: MeasuredTarget
  /** The servers whose CPU time and memory are measured. */
  readonly servers: readonly Server[]
  /** Before any load. */
  readonly bytesAtRest: number
  /** In a closed loop. */
  readonly runs: Run[]
  /** At a constant rate. */
  readonly pacedRuns: Run[]
}

/** A response as Node accepts it: raw headers (name, value, name, …), and the body in base64. */
export interface Page {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

const PORTAL = 'portal'
export const BARE = 'bare `node:http`'
export const OPENING = 'bare `node:http` that opens `p`'

// Added by every Node server.
const OF_THE_CONNECTION = new Set(['date', 'connection', 'keep-alive'])

let bareServers = 0

/** @param options by default connections are kept and each response must be 200 */
export function contender(
  name: string,
  servers: readonly [Server, ...Server[]],
  requests: readonly Buffer[],
  options: { readonly status?: number } & Partial<MeasuredTarget> & { readonly bytesAtRest?: number } = {},
): Contender {
  const { status = 200, bytesAtRest = residentBytes(...servers.map(({ pid }) => pid)), ...target } = options
  return {
    name,
    servers,
    bytesAtRest,
    target: {
      port: servers[0].port,
      connections: 'kept',
      requests,
      statuses: requests.map(() => status),
      lengths: new Int32Array(requests.length).fill(-1),
      ...target,
    },
    runs: [],
    pacedRuns: [],
  }
}

/** The environment's portal, with these requests. */
export function portalContender(
  environment: BenchEnvironment,
  requests: readonly BrowserRequest[],
  status = 200,
  name = PORTAL,
): Contender {
  return contender(name, [environment.portal], requests.map(requestBytes), {
    status,
    bytesAtRest: environment.bytesAtRest,
  })
}

/** A bare server that sends one page. @param opens whether it opens each payload first */
export function planBareServer(environment: BenchEnvironment, page: Page, opens: boolean): ServerPlan {
  const file = join(folderOf(environment, `bare-${bareServers++}`), 'page.json')
  writeFileSync(file, JSON.stringify(page))
  const key = opens ? environment.key.key.export().toString('hex') : ''
  const words = (port: number) => ['bench/bare-http.ts', `${port}`, file, key]
  return { name: opens ? OPENING : BARE, words }
}

export function startBareServer(environment: BenchEnvironment, page: Page, opens: boolean): Promise<Server> {
  return startServer(planBareServer(environment, page, opens), environment.cores)
}

/** The portal's response to one request. */
export async function fetchPage({ port }: Server, { target, headers }: BrowserRequest): Promise<Page> {
  const sent = get({ host: '127.0.0.1', port, path: target, headers })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await buffer(response)
  const fields = response.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && !OF_THE_CONNECTION.has(name.toLowerCase()) ? [name, all[index + 1] as string] : [],
  )
  return { status: response.statusCode as number, headers: fields, body: body.toString('base64') }
}

/** @returns the index of the request whose response has the median of the known lengths */
export function indexOfMedianLength(lengths: Int32Array): number {
  const known = lengths.filter((length) => length >= 0).toSorted()
  return lengths.indexOf(known[known.length >> 1] as number)
}
