// Strict parser for the three parameters of every verdict URL: no decoding, no repetition, no other parameters.
// Portal and engine share it: the portal forwards them byte for byte.
import { PROTOCOL_VERSION } from './verdict.ts'

/** The raw parameters; `ts` in Unix seconds. `v` is a supported version. */
export interface VerdictQuery {
  readonly p: string
  readonly ts: number
  /** The three parameters in the order p, v, ts, byte for byte as received. */
  readonly text: string
}

export type QueryRefusal = 'malformed' | 'unsupported-version'

const VERSION = /^[1-9][0-9]*$/
const SECONDS = /^[1-9][0-9]{9}$/

/** Parses the query of a verdict URL, without the question mark. */
export function parseVerdictQuery(query: string): VerdictQuery | QueryRefusal {
  let p: string | undefined
  let v: string | undefined
  let ts: string | undefined
  for (let start = 0; start <= query.length; ) {
    const next = query.indexOf('&', start)
    const end = next === -1 ? query.length : next
    if (p === undefined && query.startsWith('p=', start)) p = query.slice(start + 2, end)
    else if (v === undefined && query.startsWith('v=', start)) v = query.slice(start + 2, end)
    else if (ts === undefined && query.startsWith('ts=', start)) ts = query.slice(start + 3, end)
    else return 'malformed'
    start = end + 1
  }
  if (!p || v === undefined || ts === undefined || !VERSION.test(v) || !SECONDS.test(ts)) return 'malformed'
  if (v !== String(PROTOCOL_VERSION)) return 'unsupported-version'
  return { p, ts: Number(ts), text: verdictQueryText(p, ts) }
}

/** The parameters as a query of this version. */
function verdictQueryText(p: string, ts: string): string {
  return `p=${p}&v=${PROTOCOL_VERSION}&ts=${ts}`
}
