// What was measured of the gateway: proxies that decide by a list, each as one contender with all its processes.
import type { Figure, Run } from '../contenders.ts'
import { LOADS, type LoadName } from './loads.ts'

export interface GatewayResult {
  /** On each list. */
  readonly names: number
  readonly proxies: readonly ProxyResult[]
}

export interface RoundRun extends Run {
  /** From 1. */
  readonly round: number
  /** How many hosts the shipped proxy asked the engine about, per request. */
  readonly hostsAsked?: number
}

export interface ProxyResult {
  readonly name: string
  /** At most one per round; none where the proxy cannot serve this load. */
  readonly runs: Readonly<Record<LoadName, readonly RoundRun[]>>
  /** Proportional set size of all processes in bytes, one value per round. */
  readonly memory: readonly number[]
  /** The part of the shipped supervisor and helper, pages that they share counted once, one value per round; otherwise none. */
  readonly memoryBeyondSquid: readonly number[]
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

export const OURS = 'Squid with the engine'
/** A policy with a rule that names no hosts: the engine decides about every request. */
export const EVERY_HOST_RULED = 'the same, every host ruled'
/** The shipped configuration without the engine. */
export const WITHOUT_ENGINE = 'the same Squid without the engine'
export const ALONE = 'Squid alone'
export const SQUIDGUARD = 'Squid with squidGuard'
export const C_ICAP = 'Squid with c-icap'
export const E2GUARDIAN_ICAP = 'Squid with E2Guardian'
/** With its own decryption. */
export const E2GUARDIAN = 'E2Guardian'
/** Others, and loads without a target, are measured in every fifth round only. */
export const JUDGED: readonly string[] = [OURS, EVERY_HOST_RULED, ALONE, SQUIDGUARD, C_ICAP, E2GUARDIAN_ICAP]
/** Those that need no other program than Squid and the engine. */
export const OWN: readonly string[] = [OURS, EVERY_HOST_RULED, WITHOUT_ENGINE, ALONE]

export function noRuns(): Record<LoadName, RoundRun[]> {
  return Object.fromEntries(LOADS.map(({ name }) => [name, []])) as unknown as Record<LoadName, RoundRun[]>
}

/** Empty when it was not measured. */
export function figuresOf(result: GatewayResult, proxy: string, load: LoadName, figure: Figure): readonly number[] {
  return runsOf(result, proxy, load).map((run) => run[figure])
}

/** One proxy's figure by another's, for each round that has both. */
export function ratiosOf(
  result: GatewayResult,
  [one, other]: readonly [string, string],
  load: LoadName,
  figure: Figure,
): readonly number[] {
  return inBoth(result, [one, other], load).map(([dividend, divisor]) => dividend[figure] / divisor[figure])
}

/** Milliseconds that a proxy adds to Squid's p50 with one decrypted connection, round by round. */
export function addedLatency(result: GatewayResult, proxy: string): readonly number[] {
  return inBoth(result, [proxy, ALONE], 'one-connection-https').map(([one, alone]) => one.p50 - alone.p50)
}

function inBoth(result: GatewayResult, [one, other]: readonly [string, string], load: LoadName) {
  const others = new Map(runsOf(result, other, load).map((run) => [run.round, run]))
  return runsOf(result, one, load).flatMap((run) => {
    const paired = others.get(run.round)
    return paired === undefined ? [] : [[run, paired] as const]
  })
}

export function runsOf(result: GatewayResult, proxy: string, load: LoadName): readonly RoundRun[] {
  return result.proxies.find(({ name }) => name === proxy)?.runs[load] ?? []
}
