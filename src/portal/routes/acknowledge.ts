// The relay: a visitor's acknowledgement to the engine, and the engine's redirect back (protocol v1, section 2).
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import { networkOf } from '../../contract/network.ts'
import type { PayloadOpener } from '../../contract/open.ts'
import { parseVerdictQuery, type VerdictQuery } from '../../contract/query.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { Answers, Outcome } from '../answers.ts'
import type { EngineAnswer } from '../engine-client/answer.ts'
import type { AskEngine } from '../engine-client/ask-engine.ts'
import type { Answer, Exchange } from '../exchange.ts'
import type { RecordAcceptance } from '../record-acceptance.ts'
import type { NoSlot, RelayLimit } from '../relay-limit.ts'
import type { AgeOfVerdict } from '../replay-window.ts'
import type { AcknowledgementTimes, Refusal } from '../request-event.ts'
import type { VisitorAddresses } from '../visitor-address.ts'
import { isPrefetch } from '../visits.ts'
import { relayedRedirect } from './relay-redirect.ts'

export interface AcknowledgeRouteSources {
  readonly answers: Answers
  readonly opener: PayloadOpener
  readonly ageOf: AgeOfVerdict
  readonly askEngine: AskEngine
  readonly recordAcceptance: RecordAcceptance
  readonly visitors: VisitorAddresses
  readonly relayLimit: RelayLimit
}

type Refused = { readonly refused: Outcome }
type Accepted = { readonly query: VerdictQuery; readonly verdict: Verdict; readonly overrideCode: string | undefined }

export function acknowledgeRoute(sources: AcknowledgeRouteSources) {
  const { answers, relayLimit, visitors } = sources
  return async (exchange: Exchange): Promise<Answer> => {
    const checked = checkRequest(exchange, sources)
    if ('refused' in checked) return acknowledgementOutcome(answers, exchange, checked.refused)

    const { verdict } = checked
    const respond = (outcome: Outcome) => acknowledgementOutcome(answers, exchange, { ...outcome, ...wayBack(verdict) })
    // Read first: a browser that disconnects takes its address with it, and the acknowledgement goes on.
    const clientAddress = visitors.addressOf(exchange)
    const clientNetwork = clientAddress && networkOf(clientAddress)
    const slot = await relayLimit.acquire({ verdict, clientNetwork, response: exchange.response })
    if (typeof slot === 'string') return respond(refuseWithoutSlot(exchange, slot))
    try {
      const relayed = await relay(exchange, { ...checked, clientAddress }, sources)
      return 'status' in relayed ? relayed : respond(relayed)
    } finally {
      slot()
    }
  }
}

/** A page for a navigation, a problem document for the Unlock fetch: the code's header tells them apart. */
export function acknowledgementOutcome(answers: Answers, exchange: Exchange, outcome: Outcome): Answer {
  const isNavigation = exchange.headers[OVERRIDE_CODE_HEADER] === undefined
  return isNavigation ? answers.outcomePage(exchange, outcome) : answers.outcomeProblem(exchange, outcome)
}

function refuseWithoutSlot(exchange: Exchange, reason: NoSlot): Outcome {
  if (reason === 'superseded' || reason === 'abandoned') {
    exchange.refusal = reason
    return { name: 'superseded', retryAfter: 1 }
  }
  if (reason === 'stopping') {
    exchange.refusal = reason
    return { name: 'overloaded', retryAfter: 1 }
  }
  exchange.refusal = 'overloaded'
  exchange.fullLimit = reason
  return { name: 'overloaded' }
}

/** The engine's redirect, or why there is none. */
async function relay(
  exchange: Exchange,
  { query, verdict, overrideCode, clientAddress }: Accepted & { readonly clientAddress: string | undefined },
  { askEngine, recordAcceptance }: AcknowledgeRouteSources,
): Promise<Answer | Outcome> {
  const times: AcknowledgementTimes = {}
  exchange.times = times
  const isRecorded = verdict.kind === 'aup'
  const acceptance = isRecorded
    ? await timed(times, 'record', recordAcceptance(exchange, verdict, clientAddress))
    : undefined
  if (acceptance === 'unavailable') {
    exchange.refusal = 'recordUnavailable'
    return { name: 'recordUnavailable' }
  }
  if (acceptance === 'exhausted') {
    exchange.refusal = 'attemptsExhausted'
    return { name: 'acknowledgementExpired' }
  }
  const engineAnswer = await timed(times, 'engine', askEngine({ query, clientAddress, overrideCode }))
  exchange.engineAnswer = engineAnswer
  if (acceptance !== undefined) await timed(times, 'completion', acceptance.complete(engineAnswer))
  return engineAnswer.kind === 'redirect' ? relayedRedirect(engineAnswer) : outcomeOf(engineAnswer)
}

/** Fetch Metadata of the portal's own pages and of an address that was typed; no other word is let through. */
const SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])
const DESTINATIONS: ReadonlySet<string> = new Set(['document', 'empty'])

/** Everything that is refused without asking the engine and without a record. */
function checkRequest(exchange: Exchange, { opener, ageOf }: AcknowledgeRouteSources): Accepted | Refused {
  const { headers } = exchange
  const refuse = (reason: Refusal, refused: Outcome): Refused => {
    exchange.refusal = reason
    return { refused }
  }
  if (isPrefetch(exchange)) return refuse('prefetch', { name: 'acknowledgementPrefetch' })
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination = 'document' } = headers
  if (!SITES.has(site) || !DESTINATIONS.has(destination)) {
    return refuse('elsewhere', { name: 'acknowledgementElsewhere' })
  }
  const query = parseVerdictQuery(exchange.query)
  if (query === 'malformed') return refuse('query', { name: 'malformed' })
  if (query === 'unsupported-version') return refuse('version', { name: 'wrongVersion' })
  const verdict = opener.open(query)
  if (typeof verdict === 'string') return refuse(verdict, { name: 'invalid' })
  exchange.verdict = verdict
  if (verdict.ackToken === undefined) return refuse('no ack_token', { name: 'invalid' })
  const header = headers[OVERRIDE_CODE_HEADER]
  const overrideCode = header === undefined ? undefined : decodeOverrideCode(header)
  const isCodeWanted = verdict.override !== undefined
  if (isCodeWanted !== (header !== undefined) || (header !== undefined && overrideCode === undefined)) {
    return refuse('codeMalformed', { name: 'codeMalformed', ...wayBack(verdict) })
  }
  const age = ageOf(verdict)
  if (age === 'future') return refuse('expired', { name: 'expired', ...wayBack(verdict) })
  if (age === 'expired') return refuse('expired', { name: 'acknowledgementExpired', ...wayBack(verdict) })
  return { query, verdict, overrideCode }
}

/** Notes down from when to when a step was under way. */
async function timed<T>(times: AcknowledgementTimes, step: keyof AcknowledgementTimes, work: Promise<T>): Promise<T> {
  const from = performance.now()
  const result = await work
  times[step] = [from, performance.now()]
  return result
}

/** A navigation that fails offers the destination, so that the gateway issues a new verdict. */
function wayBack({ destination, reference }: Verdict): Pick<Outcome, 'destination' | 'reference'> {
  return { destination, reference }
}

function outcomeOf(answer: Exclude<EngineAnswer, { kind: 'redirect' }>): Outcome {
  switch (answer.kind) {
    case 'codeRejected':
      return {
        name: 'codeRejected',
        attemptsRemaining: answer.attemptsRemaining,
        problem: {
          type: answer.problemType,
          ...(answer.attemptsRemaining !== undefined && { attempts_remaining: answer.attemptsRemaining }),
        },
      }
    case 'refused':
      return { name: 'acknowledgementRefused' }
    case 'lockedOut':
      return { name: 'lockedOut', retryAfter: answer.retryAfter, ...problemOf(answer) }
    case 'expired':
      return { name: 'acknowledgementExpired', ...problemOf(answer) }
    case 'rejected':
    case 'broken':
      return { name: 'engineUnreachable' }
    case 'late':
      return { name: 'engineTooSlow' }
  }
}

/** The engine's own problem type, where it gave one. */
function problemOf({ problemType }: { readonly problemType: string | undefined }): Pick<Outcome, 'problem'> {
  return problemType === undefined ? {} : { problem: { type: problemType } }
}
