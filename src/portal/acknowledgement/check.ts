// Every refusal of an acknowledgement that needs neither a record nor a request to the engine, in the order of the protocol
// (v1, section 2).
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { Redeemed, VerdictQuery } from '../../contract/verdict-url.ts'
import type { Exchange } from '../http/exchange.ts'
import { outcomeOfRefusal } from '../outcome/outcomes.ts'
import { isPrefetch } from '../visitor/visit.ts'
import { type Failure, notSent, refused } from './failure.ts'

/** What a visitor acknowledges. */
export interface Acknowledgement {
  readonly query: VerdictQuery
  readonly verdict: Verdict
  /** As the visitor typed it. */
  readonly overrideCode: string | undefined
}

type Checked =
  | { readonly acknowledgement: Acknowledgement; readonly failure?: undefined }
  | { readonly acknowledgement?: undefined; readonly failure: Failure }

export function checkRequest(exchange: Exchange, redeem: (query: string) => Redeemed): Checked {
  if (isPrefetch(exchange)) return { failure: notSent('prefetch', { name: 'acknowledgementPrefetch' }) }
  if (!isFromPage(exchange)) return { failure: notSent('crossSite', { name: 'crossSite' }) }
  const { verdict, query, age, refusal } = redeem(exchange.query)
  if (refusal !== undefined) return { failure: refused(refusal, outcomeOfRefusal(refusal)) }
  if (verdict.ackToken === undefined) return { failure: refused('no ack_token', { name: 'invalid' }, verdict) }
  const header = exchange.headers[OVERRIDE_CODE_HEADER]
  const overrideCode = header === undefined ? undefined : decodeOverrideCode(header)
  const isCodeRequired = verdict.override !== undefined
  if (isCodeRequired !== (header !== undefined) || isCodeRequired !== (overrideCode !== undefined)) {
    return { failure: notSent('codeMalformed', { name: 'codeMalformed' }, { verdict }) }
  }
  if (age === 'future') return { failure: refused('expired', { name: 'expired', verdict }, verdict) }
  if (age === 'expired') return { failure: refused('expired', { name: 'acknowledgementExpired', verdict }, verdict) }
  return { acknowledgement: { query, verdict, overrideCode } }
}

/** The portal's own pages, and typed addresses. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * Whether a link of the portal's page or its Unlock button may have sent this, as far as the browser says. Only Unlock
 * fetches, with a code: an extension that fetches a page's links must not accept a policy.
 */
function isFromPage({ headers }: Exchange): boolean {
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination = 'document' } = headers
  if (!OWN_SITES.has(site)) return false
  if (destination === 'empty') return headers[OVERRIDE_CODE_HEADER] !== undefined
  return destination === 'document'
}
