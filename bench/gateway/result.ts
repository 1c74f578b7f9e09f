// What was measured of the gateway: proxies that decide by a list, each as one contender with all its processes.
import type { Figure, Run } from '../contenders.ts'
import { LOADS, type LoadName } from './loads.ts'

export interface GatewayResult {
  /** On each list. */
  readonly names: number
  readonly proxies: readonly ProxyResult[]
}

export interface ProxyResult {
  readonly name: string
  /** One run per round; none where the proxy cannot serve this load. */
  readonly runs: Readonly<Record<LoadName, readonly Run[]>>
  /** Proportional set size of all processes in bytes, one value per round. */
  readonly memory: readonly number[]
  /** Without a list, there are none. */
  readonly changes: readonly ListChange[]
}

/** A name was added to the list, and the proxy's documented way of reading it again was used. */
export interface ListChange {
  /** Milliseconds from the changed file until a request for the name is stopped. */
  readonly inForce: number
  /** Allowed requests that were due meanwhile, at a constant rate, and those of them that got no 200. */
  readonly requests: number
  readonly failed: number
  /** Milliseconds; the longest 200. */
  readonly longest: number
}

export const ALONE = 'Squid alone'
export const OURS = 'Squid with the engine'
export const C_ICAP = 'Squid with c-icap'
export const E2GUARDIAN = 'E2Guardian'

export function noRuns(): Record<LoadName, Run[]> {
  return Object.fromEntries(LOADS.map(({ name }) => [name, []])) as unknown as Record<LoadName, Run[]>
}

/** Empty when it was not measured. */
export function figuresOf(result: GatewayResult, proxy: string, load: LoadName, figure: Figure): readonly number[] {
  const runs = result.proxies.find(({ name }) => name === proxy)?.runs[load] ?? []
  return runs.map((run) => run[figure])
}

/** Milliseconds that a proxy adds to Squid's p50 with one connection, round by round. */
export function addedLatency(result: GatewayResult, proxy: string): readonly number[] {
  const alone = figuresOf(result, ALONE, 'one-connection', 'p50')
  return figuresOf(result, proxy, 'one-connection', 'p50').map((p50, round) => p50 - (alone[round] as number))
}
