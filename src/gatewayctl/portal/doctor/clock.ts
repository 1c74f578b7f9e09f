// Clocks: a verdict is good for a window of time, so portal and engine have to agree on what time it is.
import { readFileSync } from 'node:fs'
import type { Deployment } from './deployment.ts'
import { bad, type Finding, good, skipped } from './finding.ts'
import { ask, type Received } from './request.ts'

/** Half of what the protocol allows a clock to run ahead. */
const MOST_SECONDS = 30
const ADVICE = 'set the clocks by NTP on every machine: links expire too early or are refused as from the future'

export async function checkClocks({ address, askSecure, engine, roots }: Deployment, clock: () => number) {
  const portal = await difference(() => askSecure('/healthz'), clock)
  const portalFinding = finding('clock', `the Date of ${address.baseUrl}/healthz, beside this machine’s clock`, portal)
  const { url, caFile } = engine
  if (url === undefined) {
    return [
      portalFinding,
      skipped('clock-engine', 'the engine', 'ENGINE_INTERNAL_URL is empty: acknowledgements are off'),
    ]
  }
  const tried = `the Date of ${url.origin}, beside the portal’s`
  try {
    // Which CA vouches for the engine is the portal's to check: here only its clock is read.
    const own = caFile === undefined ? roots : [readFileSync(caFile, 'utf8')]
    const there = await difference(() => ask({ url: new URL('/', url), roots: own }), clock)
    if (portal === undefined || there === undefined) return [portalFinding, finding('clock-engine', tried, undefined)]
    return [portalFinding, finding('clock-engine', tried, there - portal)]
  } catch (error) {
    const seen = `${(error as Error).message}; from outside of its network that is usual`
    return [portalFinding, skipped('clock-engine', tried, seen)]
  }
}

/** By how many seconds the answer's clock is ahead of ours, taken in the middle of the request. */
async function difference(question: () => Promise<Received>, clock: () => number): Promise<number | undefined> {
  const before = clock()
  const { headers } = await question()
  const after = clock()
  const date = Date.parse(headers.date ?? '')
  // It has whole seconds.
  return Number.isNaN(date) ? undefined : (date + 500 - (before + after) / 2) / 1000
}

function finding(check: string, tried: string, seconds: number | undefined): Finding {
  if (seconds === undefined) return skipped(check, tried, 'no Date in the answer')
  const seen = `${Math.abs(Math.round(seconds))} s ${seconds < 0 ? 'behind' : 'ahead'}`
  return Math.abs(seconds) > MOST_SECONDS ? bad(check, tried, seen, ADVICE) : good(check, tried, seen)
}
