// The gateway's targets, compared with Squid alone and with what an administrator would install otherwise. They are judged on
// decrypted traffic, as nearly all traffic is.
import { count, megabytes, milliseconds, percent } from '../format.ts'
import { type Reached, reachedBy } from '../results.ts'
import { median } from '../statistics.ts'
import type { LoadName } from './loads.ts'
import {
  ALONE,
  addedLatency,
  C_ICAP,
  E2GUARDIAN_ICAP,
  EVERY_HOST_RULED,
  type GatewayResult,
  OURS,
  ratiosOf,
  SQUIDGUARD,
} from './result.ts'

const MAX_ADDED = 0.1
const MAX_IN_FORCE = 2500
const MAX_BEYOND_SQUID = 110e6
// E2Guardian behind Squid, which decrypts for it: on its own it is several times slower.
const OTHERS = [SQUIDGUARD, C_ICAP, E2GUARDIAN_ICAP]

const RATES: readonly (readonly [load: LoadName, what: string, other: string, least: number])[] = [
  ['allowed-https', 'as many allowed requests/s, decrypted,', ALONE, 0.75],
  ...OTHERS.map((other) => ['allowed-https', 'as many allowed requests/s, decrypted,', other, 1] as const),
  ...OTHERS.map((other) => ['school-day', "as many requests/s of a school's day", other, 1] as const),
  ['stopped-https', 'as many stopped requests/s, decrypted,', EVERY_HOST_RULED, 0.8],
]

export function gatewayRows(result: GatewayResult | undefined): [target: string, reached: Reached][] {
  const ours = result?.proxies.find(({ name }) => name === OURS)
  const changes = ours?.changes ?? []
  return [
    ...RATES.map(([load, what, other, least]): [string, Reached] => [
      `the gateway: at least ${least === 1 ? '' : `${least} times `}${what} as ${other}`,
      rateReached(result, load, other, least),
    ]),
    [
      `the gateway adds at most ${MAX_ADDED} ms to Squid's p50, decrypted, one connection`,
      reachedBy(result ? addedLatency(result, OURS) : [], { atMost: MAX_ADDED }, milliseconds),
    ],
    [
      `the proxy's supervisor and helper need at most ${MAX_BEYOND_SQUID / 1e6} MB beyond Squid`,
      reachedBy(ours?.memoryBeyondSquid ?? [], { atMost: MAX_BEYOND_SQUID }, megabytes),
    ],
    [
      `the gateway stops a new name ${MAX_IN_FORCE} ms after its list has changed`,
      reachedBy(
        changes.map(({ inForce }) => inForce),
        { atMost: MAX_IN_FORCE },
        (value) => `${value.toFixed(0)} ms`,
      ),
    ],
    [
      'every allowed request gets its page while the list changes',
      reachedBy(
        changes.map(({ requests, failed }) => (requests - failed) / requests),
        { atLeast: 1 },
        percent,
      ),
    ],
  ]
}

/** Judged by requests per second; the ratio of requests per CPU time is added, because the load's core limits some rates. */
function rateReached(result: GatewayResult | undefined, load: LoadName, other: string, least: number): Reached {
  if (result === undefined) return undefined
  const rates = reachedBy(ratiosOf(result, [OURS, other], load, 'rate'), { atLeast: least }, count)
  const byCpu = median(ratiosOf(result, [other, OURS], load, 'cpu'))
  return rates && { ...rates, reached: `${rates.reached}; by CPU ${count(byCpu)}` }
}
