// The relay: a visitor's acknowledgement to the engine, and the engine's redirect back (protocol v1, section 2).
import { decodeOverrideCode, OVERRIDE_CODE_HEADER } from '../../contract/acknowledgement.ts'
import type { PayloadOpener } from '../../contract/open.ts'
import { parseVerdictQuery, type VerdictQuery } from '../../contract/query.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { Answers, Outcome } from '../answers.ts'
import type { EngineAnswer } from '../engine-client/answer.ts'
import type { AskEngine } from '../engine-client/ask-engine.ts'
import type { Answer, Exchange } from '../exchange.ts'
import type { RecordAcceptance } from '../record-acceptance.ts'
import type { RelayPlaces } from '../relay-places.ts'
import type { AcknowledgementTimes, Refusal } from '../request-event.ts'
import type { VisitorAddresses } from '../visitor-address.ts'
import { isPrefetch } from '../visits.ts'
import { relayedRedirect } from './relay-redirect.ts'

export interface AcknowledgeRouteSources {
  readonly answers: Answers
  readonly opener: PayloadOpener
  readonly askEngine: AskEngine
  readonly recordAcceptance: RecordAcceptance
  readonly visitors: VisitorAddresses
  readonly places: RelayPlaces
}

type Refused = { readonly refused: Outcome }
type Accepted = { readonly query: VerdictQuery; readonly verdict: Verdict; readonly overrideCode: string | undefined }

export function acknowledgeRoute(sources: AcknowledgeRouteSources) {
  const { answers, opener, places } = sources
  return async (exchange: Exchange): Promise<Answer> => {
    // A navigation and the Unlock fetch are told apart by the code's header.
    const answer = exchange.headers[OVERRIDE_CODE_HEADER] === undefined ? answers.outcomePage : answers.outcomeProblem
    const checked = checkRequest(exchange, opener)
    if ('refused' in checked) return answer(exchange, checked.refused)

    const { verdict } = checked
    const leave = places.take(verdict.kind)
    if (leave === undefined) {
      exchange.refusal = 'overloaded'
      return answer(exchange, { name: 'overloaded', ...wayBack(verdict) })
    }
    try {
      const relayed = await relay(exchange, checked, sources)
      return 'status' in relayed ? relayed : answer(exchange, { ...relayed, ...wayBack(verdict) })
    } finally {
      leave()
    }
  }
}

/** The engine's redirect, or why there is none. */
async function relay(
  exchange: Exchange,
  { query, verdict, overrideCode }: Accepted,
  { askEngine, recordAcceptance, visitors }: AcknowledgeRouteSources,
): Promise<Answer | Outcome> {
  // Asked now: a browser that goes away takes its address with it, and the acknowledgement goes on.
  const clientAddress = visitors.addressOf(exchange)
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
function checkRequest(exchange: Exchange, opener: PayloadOpener): Accepted | Refused {
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
