// The engine's targets, and what was reached.
import { count, interval, mebibytes, microseconds, milliseconds } from '../format.ts'
import { figures, findContender, type Reached, type Results, reachedBy } from '../results.ts'
import { estimateOf } from '../statistics.ts'
import { type DecisionKind, icapName } from './requests.ts'
import { bytesPerMillion, type ListResult, MORE_NAMES, MORE_URLS, NAMES, peakRatios, reloadFigures } from './result.ts'

const MAX_ALLOWED = 45
const MAX_STOPPED = 80
const MIN_RATE = 8000
const MAX_START = 1000
const MAX_MEMORY = 20 * 2 ** 20
const MAX_PEAK = 1.8
const MAX_IN_FORCE = 500
const MAX_HELD = 20
/** With five million names: as fast for each name as with one million. */
const MAX_MORE_START = 5 * MAX_START
const MAX_MORE_IN_FORCE = 5 * MAX_IN_FORCE

export function engineRows(results: Results): [target: string, reached: Reached][] {
  const { engine } = results
  const [empty] = engine?.lists ?? []
  const list = engine?.lists.find(({ names }) => names === NAMES)
  const calls = findContender(results, 'engine')
  const icap = (kind: DecisionKind) => figures(findContender(results, 'engine', icapName(kind)) ?? { runs: [] }, 'cpu')
  const ofList = (figure: (list: ListResult) => readonly number[]) => (list === undefined ? [] : figure(list))
  const more = engine?.lists.find(({ names }) => names === MORE_NAMES)
  const ofMore = (figure: (list: ListResult) => readonly number[]) => (more === undefined ? [] : figure(more))
  const many = `${MORE_NAMES.toLocaleString('en')} names and ${MORE_URLS.toLocaleString('en')} URLs`
  const reloads = (figure: Parameters<typeof reloadFigures>[1]) => ofList((one) => reloadFigures(one, figure))
  const memory = ofList((one) => (empty === undefined ? [] : bytesPerMillion(one, empty)))
  return [
    [
      `the engine, by ICAP: an allowed request in at most ${MAX_ALLOWED} µs of CPU`,
      reachedBy(icap('allowed'), { atMost: MAX_ALLOWED }, microseconds),
    ],
    [
      `a stopped one, with its sealed payload, in at most ${MAX_STOPPED} µs of CPU`,
      reachedBy(icap('stopped'), { atMost: MAX_STOPPED }, microseconds),
    ],
    [
      `the engine's JSON call: at least ${MIN_RATE.toLocaleString('en')} requests/s`,
      reachedBy(calls === undefined ? [] : figures(calls, 'rate'), { atLeast: MIN_RATE }, whole),
    ],
    [
      `1,000,000 names: right verdicts within ${MAX_START} ms of the engine's start`,
      reachedBy(
        ofList(({ starts }) => starts),
        { atMost: MAX_START },
        wholeMilliseconds,
      ),
    ],
    [
      `1,000,000 names: at most ${mebibytes(MAX_MEMORY)} above the empty engine`,
      reachedBy(memory, { atMost: MAX_MEMORY }, mebibytes),
    ],
    [
      `1,000,000 names: during a reload at most ${MAX_PEAK} times the memory before`,
      reachedBy(ofList(peakRatios), { atMost: MAX_PEAK }, count),
    ],
    [
      `1,000,000 names: a changed list in force after ${MAX_IN_FORCE} ms`,
      reachedBy(reloads('inForce'), { atMost: MAX_IN_FORCE }, wholeMilliseconds),
    ],
    [`1,000,000 names: no decision held for ${MAX_HELD} ms by a reload`, held(reloads('longest'), list)],
    [
      `${many}: right verdicts within ${MAX_MORE_START} ms of the engine's start`,
      reachedBy(
        ofMore(({ starts }) => starts),
        { atMost: MAX_MORE_START },
        wholeMilliseconds,
      ),
    ],
    [
      `${many}: at most ${mebibytes(MAX_MEMORY)} per million above the empty engine`,
      reachedBy(
        ofMore((one) => (empty === undefined ? [] : bytesPerMillion(one, empty))),
        { atMost: MAX_MEMORY },
        mebibytes,
      ),
    ],
    [
      `${many}: during a reload at most ${MAX_PEAK} times the memory before`,
      reachedBy(ofMore(peakRatios), { atMost: MAX_PEAK }, count),
    ],
    [
      `${many}: a changed list in force after ${MAX_MORE_IN_FORCE} ms`,
      reachedBy(
        ofMore((one) => reloadFigures(one, 'inForce')),
        { atMost: MAX_MORE_IN_FORCE },
        wholeMilliseconds,
      ),
    ],
  ]
}

/** Includes the longest response of a run without a reload, which is the machine's. */
function held(longest: readonly number[], list: ListResult | undefined): Reached {
  const reached = reachedBy(longest, { atMost: MAX_HELD }, milliseconds)
  if (reached === undefined || list === undefined) return undefined
  const undisturbed = estimateOf(list.processes.map((one) => one.longest))
  const others = `at most ${milliseconds(Math.max(...longest))}; without a reload ${interval(undisturbed, milliseconds)}`
  return { ...reached, reached: `${reached.reached}, ${others}` }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function wholeMilliseconds(value: number): string {
  return `${value.toFixed(0)} ms`
}
