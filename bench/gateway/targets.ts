// The gateway's targets, compared with what an administrator would install otherwise.
import { count, milliseconds, percent } from '../format.ts'
import { type Reached, reachedBy } from '../results.ts'
import { quotients } from '../statistics.ts'
import type { LoadName } from './loads.ts'
import { addedLatency, C_ICAP, E2GUARDIAN, figuresOf, type GatewayResult, OURS } from './result.ts'

const MAX_ADDED = 0.3
const MAX_IN_FORCE = 500

const RATES: readonly (readonly [load: LoadName, what: string, peer: string, least: number])[] = [
  ['allowed', 'as many allowed requests/s', C_ICAP, 1],
  ['allowed', 'as many allowed requests/s', E2GUARDIAN, 1.2],
  ['stopped', 'as many stopped requests/s', C_ICAP, 2],
  ['stopped', 'as many stopped requests/s', E2GUARDIAN, 1.5],
]

export function gatewayRows(result: GatewayResult | undefined): [target: string, reached: Reached][] {
  const rate = (proxy: string, load: LoadName) => (result ? figuresOf(result, proxy, load, 'rate') : [])
  const changes = result?.proxies.find(({ name }) => name === OURS)?.changes ?? []
  return [
    ...RATES.map(([load, what, peer, least]): [string, Reached] => [
      `the gateway: at least ${least === 1 ? '' : `${least} times `}${what} as ${peer}`,
      reachedBy(quotients(rate(OURS, load), rate(peer, load)), { atLeast: least }, count),
    ]),
    [
      `the gateway adds at most ${MAX_ADDED} ms to Squid's p50, one connection`,
      reachedBy(result ? addedLatency(result, OURS) : [], { atMost: MAX_ADDED }, milliseconds),
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
