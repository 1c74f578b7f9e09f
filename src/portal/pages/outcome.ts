// One page for each outcome of a request other than a verdict page or a redirect.
import type { Destination } from '../../contract/destination.ts'
import { type Html, html } from '../html/html.ts'
import { formatCount, formatDuration } from '../i18n/format.ts'
import { frame, operatorName, type Visit } from './frame.ts'

export type OutcomeName = Exclude<keyof Visit['t']['outcome'], 'wayBack' | 'ask' | 'contentBlocked'>

export interface OutcomeProps {
  readonly name: OutcomeName
  /** The site to try again; the gateway then issues a new verdict. */
  readonly destination?: Destination | undefined
  /** The verdict's id, for the help desk. */
  readonly reference?: string | undefined
  /** Seconds until the next attempt is allowed; with `lockedOut` only. */
  readonly retryAfter?: number | undefined
  /** Remaining attempts; with `codeRejected` only. */
  readonly attemptsRemaining?: number | undefined
}

export function outcomePage(visit: Visit, outcome: OutcomeProps): Html {
  const { t } = visit
  const { name, destination, reference } = outcome
  const { title, text } = t.outcome[name]
  return frame(visit, {
    title,
    body: html`<svg class="shape" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 4a20 20 0 100 40 20 20 0 000-40zm0 19v11m0-20v.1"/></svg>
<h1>${title}</h1>
<p>${text}</p>
<p>${adviceOf(visit, outcome)} ${t.outcome.ask(operatorName(visit))}</p>
${
  destination !== undefined &&
  html`<p class="site"><bdi dir="ltr">${destination.scheme}<strong>${destination.host}</strong>${destination.rest}</bdi></p>
<p><a class="primary" rel="noreferrer" href="${destination.href}">${t.outcome.wayBack}</a></p>`
}
${reference !== undefined && html`<dl><dt>${t.details.reference}</dt><dd><bdi dir="ltr">${reference}</bdi></dd></dl>`}`,
  })
}

/** The same outcome as text, shown next to the code field. */
export function outcomeDetail(visit: Visit, outcome: OutcomeProps): string {
  const { t, locale } = visit
  const { name, attemptsRemaining } = outcome
  if (name !== 'codeRejected') return `${t.outcome[name].text} ${adviceOf(visit, outcome)}`
  if (attemptsRemaining === undefined) return t.override.wrong
  return `${t.override.wrong} ${formatCount(attemptsRemaining, locale, t.override.attemptsLeft)}`
}

function adviceOf({ t, locale }: Visit, { name, retryAfter }: OutcomeProps): string {
  const { advice } = t.outcome[name]
  return typeof advice === 'string' ? advice : advice(formatDuration(retryAfter ?? 0, locale))
}
