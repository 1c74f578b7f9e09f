// Every way in which a request can end other than in a page of its own or a redirect: one row per outcome. The texts are in
// the catalogues, under the same names.
import { CODE_REJECTED_PROBLEM, EXPIRED_PROBLEM, LOCKED_OUT_PROBLEM } from '../../contract/acknowledgement.ts'
import type { Verdict } from '../../contract/verdict.ts'
import type { Refusal } from '../../contract/verdict-url.ts'
import type { Messages } from '../page/i18n/en.ts'

export type OutcomeName = Exclude<keyof Messages['outcome'], 'reopen' | 'contact' | 'tell' | 'contentBlocked'>

interface OutcomeRow {
  readonly status: number
  /** Of the problem document; `about:blank` without one. */
  readonly problemType?: string
  /** In seconds. */
  readonly retryAfter?: number
  /** Whether it ends an acknowledgement: its page then links the destination, so that the gateway issues a new verdict. */
  readonly reopens?: true
  /** Only the operator can help: the page's button leads there. */
  readonly isContactOnly?: true
  /** Whether its page has a language menu: nobody has chosen a language before. */
  readonly hasLanguages?: true
}

export const OUTCOMES: Readonly<Record<OutcomeName, OutcomeRow>> = {
  malformed: { status: 400, hasLanguages: true },
  wrongVersion: { status: 400, isContactOnly: true, hasLanguages: true },
  invalid: { status: 403, hasLanguages: true },
  expired: { status: 403, hasLanguages: true },
  notFound: { status: 404, hasLanguages: true },
  methodNotAllowed: { status: 405 },
  tooLong: { status: 414, hasLanguages: true },
  internal: { status: 500 },

  codeMalformed: { status: 400, reopens: true },
  crossSite: { status: 403, reopens: true },
  acknowledgementRefused: { status: 403, reopens: true },
  codeRejected: { status: 403, reopens: true, problemType: CODE_REJECTED_PROBLEM },
  acknowledgementOff: { status: 404, isContactOnly: true },
  acknowledgementExpired: { status: 410, reopens: true, problemType: EXPIRED_PROBLEM },
  lockedOut: { status: 429, reopens: true, problemType: LOCKED_OUT_PROBLEM },
  engineUnreachable: { status: 502, reopens: true },
  acknowledgementPrefetch: { status: 503, reopens: true, retryAfter: 5 },
  recordUnavailable: { status: 503, reopens: true, retryAfter: 5 },
  overloaded: { status: 503, reopens: true, retryAfter: 5 },
  superseded: { status: 503, reopens: true, retryAfter: 1 },
  engineTooSlow: { status: 504, reopens: true },
}

interface Detailed {
  /** What its page shows: the destination to try again, and the verdict's id for the help desk. */
  readonly verdict?: Pick<Verdict, 'destination' | 'reference'> | undefined
}

export type Outcome = Detailed &
  (
    | { readonly name: 'methodNotAllowed'; readonly allow: string }
    | {
        readonly name: 'codeRejected'
        /** The engine's. */
        readonly problemType?: string
        readonly attemptsRemaining?: number | undefined
      }
    | {
        readonly name: 'lockedOut'
        /** The engine's. */
        readonly problemType?: string | undefined
        /** Seconds until the next attempt is allowed. */
        readonly retryAfter: number
      }
    | {
        readonly name: 'acknowledgementExpired'
        /** The engine's. */
        readonly problemType?: string | undefined
      }
    | { readonly name: 'overloaded' /** In seconds, instead of the table's. */; readonly retryAfter?: number }
    | { readonly name: PlainName }
  )

type PlainName = Exclude<
  OutcomeName,
  'methodNotAllowed' | 'codeRejected' | 'lockedOut' | 'acknowledgementExpired' | 'overloaded'
>

/** @returns the outcome of this name, if its page has a language menu */
export function outcomeInLanguages(name: string): Outcome | undefined {
  const isOutcome = (text: string): text is PlainName => Object.hasOwn(OUTCOMES, text)
  return isOutcome(name) && OUTCOMES[name].hasLanguages ? { name } : undefined
}

/** One page for whatever is wrong with a payload: the reason goes to the log only. */
export function outcomeOfRefusal(refusal: Refusal): Outcome {
  if (refusal === 'query') return { name: 'malformed' }
  return { name: refusal === 'version' ? 'wrongVersion' : 'invalid' }
}

/** In seconds. */
export function retryAfterOf(outcome: Outcome): number | undefined {
  const own = outcome.name === 'lockedOut' || outcome.name === 'overloaded' ? outcome.retryAfter : undefined
  return own ?? OUTCOMES[outcome.name].retryAfter
}
