// Relays a visitor's acknowledgement to the engine, and the engine's redirect back (protocol v1, section 2).
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { Redeemed, VerdictQuery } from '../../contract/verdict-url.ts'
import type { AcknowledgementTimes, NotSent, RequestEvent, VerdictRefusal } from '../event.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Handled, HttpResponse } from '../http/handler.ts'
import { type Outcome, outcomeOfRefusal, type Responses } from '../outcome/responses.ts'
import type { VisitorAddress, VisitorAddresses } from '../visitor/client-address.ts'
import { isPrefetch } from '../visitor/visit.ts'
import type { FullLimit, NoSlot, RelayLimit } from './concurrency-limit.ts'
import type { SendAcknowledgement } from './engine-client/acknowledge.ts'
import type { EngineResponse } from './engine-client/response.ts'
import type { RecordAcceptance } from './record-acceptance.ts'
import { relayedRedirect } from './redirect.ts'

export interface AcknowledgeRouteDependencies {
  readonly responses: Responses
  readonly redeem: (query: string) => Redeemed
  readonly sendAcknowledgement: SendAcknowledgement
  readonly recordAcceptance: RecordAcceptance
  readonly visitors: VisitorAddresses
  readonly relayLimit: RelayLimit
}

interface Checked {
  readonly query: VerdictQuery
  readonly verdict: Verdict
  readonly overrideCode: string | undefined
}
interface Failed {
  readonly outcome: Outcome
  readonly event: RequestEvent
}

export function acknowledgeRoute(dependencies: AcknowledgeRouteDependencies) {
  const { responses, visitors, relayLimit } = dependencies
  return async (exchange: Exchange): Promise<Handled> => {
    const result = await acknowledge(exchange)
    if ('response' in result) return result
    const { outcome, event } = result
    return { response: acknowledgementResponse(responses, exchange, outcome), event }
  }

  async function acknowledge(exchange: Exchange): Promise<Handled | Failed> {
    const checked = checkRequest(exchange, dependencies)
    if ('outcome' in checked) return checked
    const { verdict } = checked
    // Read first: after a disconnect the socket has no address, but the acknowledgement continues.
    const client = visitors.addressOf(exchange)
    const connection = exchange.request.socket
    const slot = await relayLimit.acquire({ verdict, clientNetwork: client?.network, connection })
    if (typeof slot === 'string') return withoutSlot(slot, verdict)
    try {
      return await relay(exchange, { ...checked, client }, dependencies)
    } finally {
      slot()
    }
  }
}

/** A page for a navigation, a problem document for the Unlock fetch, which sends the code's header. */
export function acknowledgementResponse(responses: Responses, exchange: Exchange, outcome: Outcome): HttpResponse {
  const isNavigation = exchange.headers[OVERRIDE_CODE_HEADER] === undefined
  return isNavigation ? responses.outcomePage(exchange, outcome) : responses.outcomeProblem(exchange, outcome)
}

function withoutSlot(reason: NoSlot, verdict: Verdict): Failed {
  switch (reason) {
    case 'superseded':
    case 'abandoned':
      return notSent(reason, { name: 'superseded', retryAfter: 1 }, { verdict })
    case 'stopping':
      return notSent(reason, { name: 'overloaded', retryAfter: 1 }, { verdict })
    default:
      return notSent('overloaded', { name: 'overloaded' }, { verdict, fullLimit: reason })
  }
}

/** Returns the engine's redirect, or an outcome. */
async function relay(
  exchange: Exchange,
  { query, verdict, overrideCode, client }: Checked & { readonly client: VisitorAddress | undefined },
  { sendAcknowledgement, recordAcceptance }: AcknowledgeRouteDependencies,
): Promise<Handled | Failed> {
  const isRecorded = verdict.kind === 'aup'
  const record = isRecorded ? await timed(recordAcceptance(exchange, verdict, client)) : undefined
  const acceptance = record?.result
  const times = { record: record?.time }
  if (acceptance === 'unavailable') {
    return notSent('recordUnavailable', { name: 'recordUnavailable' }, { verdict, times })
  }
  if (acceptance === 'exhausted') {
    return notSent('attemptsExhausted', { name: 'acknowledgementExpired' }, { verdict, times })
  }
  const engine = await timed(sendAcknowledgement({ query, clientAddress: client?.address, overrideCode }))
  const engineResponse = engine.result
  await acceptance?.complete(engineResponse)
  const event: RequestEvent = {
    name: engineResponse.kind === 'lockedOut' ? 'lockout' : 'acknowledgement',
    verdict,
    engineResponse,
    times: { ...times, engine: engine.time },
  }
  if (engineResponse.kind === 'redirect') return { response: relayedRedirect(engineResponse), event }
  return { outcome: { ...outcomeOf(engineResponse), ...reopen(verdict) }, event }
}

/** The portal's own pages, and typed addresses. */
const SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])

/**
 * Whether a link of the portal's page or its Unlock button may have sent this, as far as the browser says. Only Unlock
 * fetches, with a code: an extension that fetches a page's links must not accept a policy.
 */
function isFromPage({ headers }: Exchange): boolean {
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination = 'document' } = headers
  if (!SITES.has(site)) return false
  if (destination === 'empty') return headers[OVERRIDE_CODE_HEADER] !== undefined
  return destination === 'document'
}

/** Every refusal that needs neither a record nor a request to the engine. */
function checkRequest(exchange: Exchange, { redeem }: AcknowledgeRouteDependencies): Checked | Failed {
  const { headers } = exchange
  if (isPrefetch(exchange)) return notSent('prefetch', { name: 'acknowledgementPrefetch' })
  if (!isFromPage(exchange)) return notSent('elsewhere', { name: 'acknowledgementElsewhere' })
  const { verdict, query, age, refusal } = redeem(exchange.query)
  if (refusal !== undefined) return refused(refusal, { name: outcomeOfRefusal(refusal) })
  if (verdict.ackToken === undefined) return refused('no ack_token', { name: 'invalid' }, verdict)
  const header = headers[OVERRIDE_CODE_HEADER]
  const overrideCode = header === undefined ? undefined : decodeOverrideCode(header)
  const isCodeRequired = verdict.override !== undefined
  if (isCodeRequired !== (header !== undefined) || (header !== undefined && overrideCode === undefined)) {
    return notSent('codeMalformed', { name: 'codeMalformed' }, { verdict })
  }
  if (age === 'future') return refused('expired', { name: 'expired', ...reopen(verdict) }, verdict)
  if (age === 'expired') return refused('expired', { name: 'acknowledgementExpired', ...reopen(verdict) }, verdict)
  return { query, verdict, overrideCode }
}

function refused(refusal: VerdictRefusal, outcome: Outcome, verdict?: Verdict): Failed {
  return { outcome, event: { name: 'payload.refused', refusal, verdict } }
}

interface NotSentDetails {
  readonly verdict?: Verdict
  readonly fullLimit?: FullLimit
  readonly times?: AcknowledgementTimes
}

function notSent(reason: NotSent, outcome: Outcome, details: NotSentDetails = {}): Failed {
  const { verdict } = details
  const event: RequestEvent = { name: 'acknowledgement', notSent: reason, ...details }
  return { outcome: verdict === undefined ? outcome : { ...outcome, ...reopen(verdict) }, event }
}

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly time: readonly [number, number] }> {
  const startedAt = performance.now()
  const result = await work
  return { result, time: [startedAt, performance.now()] }
}

/** A navigation that fails offers the destination, so that the gateway issues a new verdict. */
function reopen({ destination, reference }: Verdict): Pick<Outcome, 'destination' | 'reference'> {
  return { destination, reference }
}

function outcomeOf(response: Exclude<EngineResponse, { kind: 'redirect' }>): Outcome {
  switch (response.kind) {
    case 'codeRejected':
      return {
        name: 'codeRejected',
        attemptsRemaining: response.attemptsRemaining,
        problem: {
          type: response.problemType,
          ...(response.attemptsRemaining !== undefined && { attempts_remaining: response.attemptsRemaining }),
        },
      }
    case 'refused':
      return { name: 'acknowledgementRefused' }
    case 'lockedOut':
      return { name: 'lockedOut', retryAfter: response.retryAfter, ...problemOf(response) }
    case 'expired':
      return { name: 'acknowledgementExpired', ...problemOf(response) }
    case 'rejected':
    case 'broken':
      return { name: 'engineUnreachable' }
    case 'late':
      return { name: 'engineTooSlow' }
  }
}

/** The engine's problem type, if it sent one. */
function problemOf({ problemType }: { readonly problemType: string | undefined }): Pick<Outcome, 'problem'> {
  return problemType === undefined ? {} : { problem: { type: problemType } }
}
