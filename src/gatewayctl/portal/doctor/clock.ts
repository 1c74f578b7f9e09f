// Clocks: a verdict is valid for a window of time, so the clocks of portal and engine have to agree.
import { readFileSync } from 'node:fs'
import type { Deployment } from './deployment.ts'
import { bad, type Finding, good, skipped } from './finding.ts'
import { type Response, send } from './request.ts'

/** Half of the protocol's clock allowance. */
const MAXIMUM_SECONDS = 30
const ADVICE = 'set the clocks by NTP on every machine: links expire too early or are refused as from the future'

export async function checkClocks({ address, requestSecure, engine, roots }: Deployment, clock: () => number) {
  const portal = await difference(() => requestSecure('/healthz'), clock)
  const portalFinding = finding(
    'clock',
    `the Date of ${address.baseUrl}/healthz, compared with this machine’s clock`,
    portal,
  )
  const { url, caFile } = engine
  if (url === undefined) {
    return [
      portalFinding,
      skipped('clock-engine', 'the engine', 'ENGINE_INTERNAL_URL is empty: acknowledgements are off'),
    ]
  }
  const tried = `the Date of ${url.origin}, compared with the portal’s`
  try {
    // Only the clock is read: verifying the engine's certificate is the portal's task.
    const own = caFile === undefined ? roots : [readFileSync(caFile, 'utf8')]
    const there = await difference(() => send({ url: new URL('/', url), roots: own }), clock)
    if (portal === undefined || there === undefined) return [portalFinding, finding('clock-engine', tried, undefined)]
    return [portalFinding, finding('clock-engine', tried, there - portal)]
  } catch (error) {
    const seen = `${(error as Error).message}; this is normal outside its network`
    return [portalFinding, skipped('clock-engine', tried, seen)]
  }
}

/** How many seconds the server's clock is ahead of this one, measured at the middle of the request. */
async function difference(request: () => Promise<Response>, clock: () => number): Promise<number | undefined> {
  const before = clock()
  const { headers } = await request()
  const after = clock()
  const date = Date.parse(headers.date ?? '')
  // Date has a resolution of one second.
  return Number.isNaN(date) ? undefined : (date + 500 - (before + after) / 2) / 1000
}

function finding(check: string, tried: string, seconds: number | undefined): Finding {
  if (seconds === undefined) return skipped(check, tried, 'no Date in the response')
  const seen = `${Math.abs(Math.round(seconds))} s ${seconds < 0 ? 'behind' : 'ahead'}`
  return Math.abs(seconds) > MAXIMUM_SECONDS ? bad(check, tried, seen, ADVICE) : good(check, tried, seen)
}
